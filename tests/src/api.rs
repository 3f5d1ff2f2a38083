//! A provider's API on this machine: HTTP as it is written down, so that everything can go wrong.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// What a request is answered with.
#[derive(Clone, Debug)]
pub enum ApiAnswer {
    /// A status and a body.
    Full(u16, Vec<u8>),
    /// A status, and a `Retry-After` that says this.
    Busy(u16, String),
    /// A redirect to this address.
    Redirect(String),
    /// Nothing, and the connection stays open.
    Silence,
    /// Nothing, and the connection is closed.
    Close,
    /// The beginning of a longer body, then the connection is closed.
    BreakOff,
}

/// The server.
pub struct TestApi {
    url: String,
    next: Arc<Mutex<ApiAnswer>>,
    at: Arc<Mutex<HashMap<String, ApiAnswer>>>,
    asked: Arc<Mutex<Vec<String>>>,
    came: Arc<Semaphore>,
    server: JoinHandle<()>,
}

impl TestApi {
    /// Answers 404 until told otherwise.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let next = Arc::new(Mutex::new(ApiAnswer::Full(404, Vec::new())));
        let at: Arc<Mutex<HashMap<String, ApiAnswer>>> = Arc::default();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let came = Arc::new(Semaphore::new(0));
        let (answer, objects, log, tell) = (next.clone(), at.clone(), asked.clone(), came.clone());
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, answer.clone(), objects.clone(), log.clone(), tell.clone()));
            }
        });
        Self { url, next, at, asked, came, server }
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What a request for this path and query is answered with from now on, whatever others are.
    pub fn at(&self, path: &str, answer: ApiAnswer) {
        self.at.lock().unwrap().insert(path.to_owned(), answer);
    }

    /// An object at this path, under 200.
    pub fn put(&self, path: &str, object: &serde_json::Value) {
        self.at(path, ApiAnswer::Full(200, object.to_string().into_bytes()));
    }

    /// What every other request is answered with now.
    pub fn answering(&self) -> ApiAnswer {
        self.next.lock().unwrap().clone()
    }

    /// What every other request is answered with from now on.
    pub fn answer(&self, answer: ApiAnswer) {
        *self.next.lock().unwrap() = answer;
    }

    /// The same, with an object under 200.
    pub fn answer_with(&self, object: &serde_json::Value) {
        self.answer(ApiAnswer::Full(200, object.to_string().into_bytes()));
    }

    /// Waits until one more request has come.
    pub async fn came(&self) {
        self.came.acquire().await.unwrap().forget();
    }

    /// The heads of all requests, in lower case.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for TestApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: Arc<Mutex<ApiAnswer>>,
    objects: Arc<Mutex<HashMap<String, ApiAnswer>>>,
    asked: Arc<Mutex<Vec<String>>>,
    came: Arc<Semaphore>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    if stream.read_exact(&mut body).await.is_err() {
        return;
    }
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    asked.lock().unwrap().push(head.to_lowercase());
    came.add_permits(1);
    let of_path = objects.lock().unwrap().get(&path).cloned();
    let answer = of_path.unwrap_or_else(|| answer.lock().unwrap().clone());
    let bytes = match answer {
        ApiAnswer::Full(status, body) => {
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            [head.into_bytes(), body].concat()
        }
        ApiAnswer::Busy(status, retry_after) => format!(
            "HTTP/1.1 {status} X\r\nretry-after: {retry_after}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
        .into_bytes(),
        ApiAnswer::Redirect(to) => {
            format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .into_bytes()
        }
        ApiAnswer::BreakOff => b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"object\":".to_vec(),
        ApiAnswer::Close => return,
        ApiAnswer::Silence => std::future::pending().await,
    };
    // Whoever asked may be gone.
    let _ = stream.write_all(&bytes).await;
}
