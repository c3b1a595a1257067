//! Work shared out among threads.

use std::num::NonZeroUsize;
use std::sync::Mutex;

/// The next piece of work, for whoever asks first.
pub(super) fn take<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().ok()?.next()
}

/// Runs the same on each thread; returns what each gave.
pub(super) fn on_threads<T: Send>(threads: NonZeroUsize, run: impl Fn() -> T + Sync) -> Vec<T> {
    if threads.get() == 1 {
        return vec![run()];
    }
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.get()).map(|_| scope.spawn(&run)).collect();
        let mut results = vec![run()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
