mod gateway;
mod log;
mod settings;
mod stack;
mod tables;
