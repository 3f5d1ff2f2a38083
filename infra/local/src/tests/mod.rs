mod audit;
mod gateway;
mod log;
mod owed;
mod page;
mod settings;
mod stack;
mod tables;
