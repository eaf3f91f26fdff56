//! One JavaScript engine with the web app's drawing script in it.

use crate::Limits;
use rquickjs::function::Function;
use rquickjs::{CatchResultExt, Context, Runtime};
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// React catches an exhausted stack and goes on otherwise, so a small one would give a wrong page without an error:
/// right from 192 KB up.
const STACK: usize = 1 << 20;
pub const THREAD_STACK: usize = 4 << 20;
/// Time for reading the script, which takes longer than a page.
const LOADING: Duration = Duration::from_secs(5);

pub struct Engine {
    context: Context,
    deadline: Rc<Cell<Duration>>,
    limits: Limits,
}

impl Engine {
    pub fn new(source: &[u8], limits: &Limits) -> Result<Engine, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        runtime.set_max_stack_size(STACK);
        runtime.set_memory_limit(limits.memory_bytes);
        let deadline = Rc::new(Cell::new(worked() + LOADING));
        let until = deadline.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || worked() > until.get())));
        let context = Context::full(&runtime).map_err(|error| error.to_string())?;
        context.with(|ctx| ctx.eval::<(), _>(source).catch(&ctx).map_err(|error| error.to_string()))?;
        Ok(Engine { context, deadline, limits: limits.clone() })
    }

    pub fn draw(&self, page: &str) -> Result<String, String> {
        self.deadline.set(worked() + self.limits.deadline);
        let html = self.context.with(|ctx| {
            let draw: Function = ctx.globals().get("draw").catch(&ctx).map_err(|error| error.to_string())?;
            draw.call::<_, String>((page,)).catch(&ctx).map_err(|error| error.to_string())
        })?;
        match html.len() {
            bytes if bytes > self.limits.html_bytes => Err(format!("a page of {bytes} bytes")),
            _ => Ok(html),
        }
    }
}

/// Measures processor time of this thread: a busy machine ends no drawing.
fn worked() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default())
}
