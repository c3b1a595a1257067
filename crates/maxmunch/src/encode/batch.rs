//! Work on many documents with several threads: same results, whatever their number.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// Calls `work` for every index below `count`, with state of its own in each thread, and gives the results in
/// order. Where several calls fail, the error of the first index is given.
pub fn map_ordered<S, T: Send>(
    count: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let threads = threads.clamp(1, count.max(1));
    if threads == 1 {
        let mut state = state();
        return (0..count).map(|index| work(&mut state, index)).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<T>)>> = Mutex::new(Vec::with_capacity(count));
    let run = || {
        let mut state = state();
        let mut own = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            let result = work(&mut state, index);
            if result.is_err() {
                // Later documents are not worth starting; earlier ones are already handed out.
                next.store(count, Ordering::Relaxed);
            }
            own.push((index, result));
        }
        if let Ok(mut done) = done.lock() {
            done.extend(own);
        }
    };
    std::thread::scope(|scope| {
        // Where the system gives no further thread, those that run do the work.
        for _ in 1..threads {
            if std::thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
    let mut done = done.into_inner().map_err(|_| Error::internal("a thread panicked"))?;
    done.sort_unstable_by_key(|(index, _)| *index);
    let results = done.into_iter().map(|(_, result)| result).collect::<Result<Vec<T>>>()?;
    if results.len() != count {
        return Err(Error::internal("a thread lost its results"));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::map_ordered;
    use crate::error::Error;

    #[test]
    fn results_are_in_order_for_every_number_of_threads() {
        let expected: Vec<usize> = (0..100).map(|index| index * index).collect();

        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(Ok(expected.clone()), map_ordered(100, threads, || (), |(), i| Ok(i * i)));
        }
    }

    #[test]
    fn the_first_error_wins() {
        for threads in [1, 4] {
            let failed: crate::Result<Vec<()>> = map_ordered(
                50,
                threads,
                || (),
                |(), index| {
                    if index >= 20 { Err(Error::internal(index.to_string())) } else { Ok(()) }
                },
            );

            assert_eq!(Err(Error::internal("20")), failed);
        }
    }
}
