mod audit;
mod gateway;
mod log;
mod owed;
mod settings;
mod stack;
mod tables;
