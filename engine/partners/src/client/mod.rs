pub mod breaker;
pub mod exchange;
pub mod gate;
pub mod resolver;
pub mod target;
