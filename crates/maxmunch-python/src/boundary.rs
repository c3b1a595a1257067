//! The one door from Python into the core.
//!
//! [`enter`] detaches from the interpreter, runs, catches panics, and turns the core's error into the
//! Python exception of the same name. No call site repeats that ritual.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use maxmunch::{Error, Monitor};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};

/// Runs `work` detached from the interpreter; its error, or its panic, becomes a Python exception.
pub(crate) fn enter<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> maxmunch::Result<T> + Send,
) -> PyResult<T> {
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    settle(py, outcome)
}

/// As [`enter`], for work too short to be worth detaching: it still catches panics and maps errors.
pub(crate) fn attached<T>(
    py: Python<'_>,
    work: impl FnOnce() -> maxmunch::Result<T>,
) -> PyResult<T> {
    settle(py, catch_unwind(AssertUnwindSafe(work)))
}

fn settle<T>(
    py: Python<'_>,
    outcome: Result<maxmunch::Result<T>, Box<dyn Any + Send>>,
) -> PyResult<T> {
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(to_python(py, error)),
        Err(panic) => Err(to_python(py, Error::internal(panic_text(panic.as_ref())))),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

/// The Python exception of the same name; the classes live in `maxmunch.errors` and nowhere else.
pub(crate) fn to_python(py: Python<'_>, error: Error) -> PyErr {
    let message = error.to_string();
    let built = match error {
        Error::UnsupportedTokenizer { json_path, .. } => {
            raise(py, "UnsupportedTokenizerError", (message, json_path))
        }
        Error::InvalidTokenizer { json_path, .. } => {
            raise(py, "InvalidTokenizerError", (message, json_path))
        }
        Error::InvalidArgument { name, .. } => raise(py, "InvalidArgumentError", (message, name)),
        Error::InvalidTokenSet { .. } => raise(py, "InvalidTokenSetError", (message,)),
        Error::Untokenizable { position, starts } => {
            raise(py, "UntokenizableError", (message, position, starts))
        }
        Error::Certificate { .. } => raise(py, "CertificateError", (message,)),
        Error::Limit { limit, .. } => raise(py, "LimitError", (message, limit)),
        Error::Training { .. } => raise(py, "TrainingError", (message,)),
        Error::Interrupted => Ok(PyKeyboardInterrupt::new_err(())),
        Error::Custom { cause, .. } => raise(py, "MaxmunchError", (message,)).inspect(|raised| {
            let cause = cause.get::<PyErr>().map(|cause| cause.clone_ref(py));
            raised.set_cause(py, cause);
        }),
        _ => raise(py, "InternalError", (message,)),
    };
    built.unwrap_or_else(|failure| failure)
}

fn raise<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<PyErr> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = ERRORS
        .get_or_try_init(py, || PyModule::import(py, "maxmunch.errors").map(Bound::unbind))?;
    let value = module.bind(py).getattr(class)?.call1(arguments)?;
    Ok(PyErr::from_value(value))
}

/// The UTF-8 of a `str`; a lone surrogate is a `UnicodeEncodeError` (a `ValueError`) with its position.
pub(crate) fn utf8<'a>(name: &str, value: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    value.to_str().map_err(|_| {
        let position = first_surrogate(value);
        let reason = format!(
            "{name}: a lone surrogate has no UTF-8 form; replace it first, for example with \
             text.encode('utf-8', 'replace').decode()"
        );
        PyUnicodeEncodeError::new_err((
            "utf-8",
            value.clone().unbind(),
            position,
            position + 1,
            reason,
        ))
    })
}

fn first_surrogate(value: &Bound<'_, PyString>) -> usize {
    let lossless = value.call_method1("encode", ("utf-32-le", "surrogatepass"));
    let Ok(units) = lossless.and_then(|bytes| bytes.extract::<Vec<u8>>()) else {
        return 0;
    };
    units
        .chunks_exact(4)
        .position(|unit| matches!((unit[0], unit[1], unit[2], unit[3]), (_, 0xD8..=0xDF, 0, 0)))
        .unwrap_or(0)
}

/// The bytes of a `bytes` or `str` argument, borrowed.
pub(crate) fn bytes<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    if let Ok(data) = value.cast::<PyBytes>() {
        return Ok(data.as_bytes());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(utf8(name, text)?.as_bytes());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: expected bytes or str, not {}",
        value.get_type().name()?
    )))
}

/// The text of a `str` or (valid UTF-8) `bytes` argument, borrowed.
pub(crate) fn text<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    if let Ok(text) = value.cast::<PyString>() {
        return utf8(name, text);
    }
    std::str::from_utf8(bytes(name, value)?).map_err(|error| {
        let position = error.valid_up_to();
        to_python(
            value.py(),
            Error::argument(
                name,
                format!(
                    "the bytes are not valid UTF-8 at byte {position}; decode them first, \
                     for example with data.decode('utf-8', 'replace')"
                ),
            ),
        )
    })
}

/// A monitor that calls a Python function `(phase, done, total)` and notices Ctrl-C.
pub(crate) struct PythonMonitor {
    callback: Option<Py<PyAny>>,
    state: Mutex<MonitorState>,
}

struct MonitorState {
    next: Instant,
    raised: Option<PyErr>,
}

impl PythonMonitor {
    const PERIOD: Duration = Duration::from_millis(100);

    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self { callback, state: Mutex::new(MonitorState { next: Instant::now(), raised: None }) }
    }

    /// What the callback raised, if it raised; Ctrl-C is kept as `KeyboardInterrupt`.
    pub(crate) fn take_error(&self) -> Option<PyErr> {
        self.state.lock().ok().and_then(|mut state| state.raised.take())
    }
}

impl Monitor for PythonMonitor {
    fn tick(&self, phase: &str, done: u64, total: u64) -> ControlFlow<()> {
        let Ok(mut state) = self.state.lock() else { return ControlFlow::Break(()) };
        if state.raised.is_some() {
            return ControlFlow::Break(());
        }
        if Instant::now() < state.next && (total == 0 || done < total) {
            return ControlFlow::Continue(());
        }
        state.next = Instant::now() + Self::PERIOD;
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = &self.callback {
                callback.call1(py, (phase, done, total))?;
            }
            Ok(())
        });
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                state.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

/// Panics inside the core's door, so that a test can show that no panic reaches Python.
#[pyfunction]
#[pyo3(name = "_provoke_panic")]
#[expect(clippy::panic, reason = "that is what it is for")]
pub(crate) fn provoke_panic(py: Python<'_>, message: String) -> PyResult<()> {
    enter(py, move || panic!("{message}"))
}
