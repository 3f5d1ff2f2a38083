//! The whole product in one process: an HTTP front, the functions' own handlers, an embedded DynamoDB.

pub mod database;
pub mod stack;
pub mod tables;

#[cfg(test)]
mod tests;
