//! The way between the SDK and DynamoDB: everything that is sent is written down, and can be made to fail.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::config::RuntimeComponents;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::contention::Contention;
use crate::fault::{ErrorAnswer, Fault, Latch, When};

tokio::task_local! {
    /// Which delivery a call is made for, where a test says so.
    pub static DELIVERY: usize;
}

/// One attempt of one call.
#[derive(Clone, Debug)]
pub struct Call {
    /// E.g. `TransactWriteItems`.
    pub operation: String,
    /// What was sent.
    pub body: Value,
    /// The delivery it was made for, within a scope of [`DELIVERY`]; none once that is gone.
    pub delivery: Option<usize>,
}

/// Where a call stands when a [`Director`] is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// Nothing was done yet.
    Begin,
    /// A transaction is under way: others that share an item with it are refused.
    Underway,
}

/// Decides, call by call, who goes on and what happens to it.
pub trait Director: Send + Sync {
    /// Returns when the call may go on. A fault is heeded at [`Point::Begin`] only.
    fn step<'a>(&'a self, call: &'a Call, point: Point) -> BoxFuture<'a, Option<Fault>>;
}

/// Counts, records, fails, delays.
#[derive(Clone)]
pub struct Wire(Arc<Shared>);

struct Shared {
    inner: SharedHttpClient,
    calls: Mutex<Vec<Call>>,
    rules: Mutex<Vec<(When, Fault)>>,
    director: Mutex<Option<Arc<dyn Director>>>,
    contention: Option<Contention>,
    forgets_tokens: AtomicBool,
    stalled: Semaphore,
    arrived_late: Semaphore,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wire({} calls)", self.calls().len())
    }
}

impl Wire {
    pub(crate) fn new(contention: bool) -> Self {
        Self(Arc::new(Shared {
            inner: aws_smithy_http_client::Builder::new().build_http(),
            calls: Mutex::default(),
            rules: Mutex::default(),
            director: Mutex::default(),
            contention: contention.then(Contention::default),
            forgets_tokens: AtomicBool::new(false),
            stalled: Semaphore::new(0),
            arrived_late: Semaphore::new(0),
        }))
    }

    /// Makes the calls that `when` picks fail. Rules that were added first are asked first; all are asked for each call.
    pub fn inject(&self, when: When, fault: Fault) {
        self.0.rules.lock().unwrap().push((when, fault));
    }

    /// Ends all faults.
    pub fn heal(&self) {
        self.0.rules.lock().unwrap().clear();
        *self.0.director.lock().unwrap() = None;
    }

    /// Asks `director` at each step.
    pub fn direct(&self, director: Arc<dyn Director>) {
        *self.0.director.lock().unwrap() = Some(director);
    }

    /// From now on DynamoDB does not know a repeated request by its token, as when the token's ten minutes are over.
    pub fn forget_tokens(&self) {
        self.0.forgets_tokens.store(true, Ordering::SeqCst);
    }

    /// Every attempt of every call, as far as it was begun.
    pub fn calls(&self) -> Vec<Call> {
        self.0.calls.lock().unwrap().clone()
    }

    /// How many attempts there were.
    pub fn count(&self) -> usize {
        self.0.calls.lock().unwrap().len()
    }

    /// How many attempts of an operation there were.
    pub fn count_of(&self, operation: &str) -> usize {
        self.calls().iter().filter(|call| call.operation == operation).count()
    }

    /// Forgets the calls.
    pub fn clear(&self) {
        self.0.calls.lock().unwrap().clear();
    }

    /// Opens the latch of a [`Fault::Late`] and waits until its request has been answered to nobody.
    pub async fn release_late(&self, latch: &Latch) {
        latch.open();
        self.0.arrived_late.acquire().await.unwrap().forget();
    }

    /// Waits until one more call hangs.
    pub async fn stalled(&self) {
        self.0.stalled.acquire().await.unwrap().forget();
    }
}

impl HttpClient for Wire {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.0.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { inner, wire: self.clone() })
    }
}

#[derive(Debug)]
struct Connector {
    inner: SharedHttpConnector,
    wire: Wire,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let call = Call::of(&request);
        let fault = self.wire.0.fault(&call);
        let sending = Sending { inner: self.inner.clone(), shared: Arc::clone(&self.wire.0), call };
        HttpConnectorFuture::new(sending.run(request, fault))
    }
}

impl Call {
    fn of(request: &HttpRequest) -> Self {
        let target = request.headers().get("x-amz-target").unwrap();
        let (_, operation) = target.split_once('.').unwrap();
        let body = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        Self { operation: operation.to_owned(), body, delivery: DELIVERY.try_with(|delivery| *delivery).ok() }
    }
}

impl Shared {
    fn fault(&self, call: &Call) -> Option<Fault> {
        self.calls.lock().unwrap().push(call.clone());
        let mut rules = self.rules.lock().unwrap();
        // Each rule counts every call, also one that another rule has taken.
        let mut hits: Vec<Fault> =
            rules.iter_mut().filter_map(|(when, fault)| when(call).then(|| fault.clone())).collect();
        (!hits.is_empty()).then(|| hits.remove(0))
    }

    fn is_directed(&self) -> bool {
        self.director.lock().unwrap().is_some()
    }

    async fn hang<T>(&self) -> T {
        self.stalled.add_permits(1);
        std::future::pending().await
    }
}

/// One call on its way.
struct Sending {
    inner: SharedHttpConnector,
    shared: Arc<Shared>,
    call: Call,
}

impl Sending {
    async fn run(self, request: HttpRequest, fault: Option<Fault>) -> Result<HttpResponse, ConnectorError> {
        let directed = self.step(Point::Begin).await;
        match directed.or(fault) {
            None => self.send(request, None).await,
            Some(Fault::Refuse) => Err(lost("connection refused")),
            Some(Fault::DropAnswer) => {
                self.send(request, None).await?;
                Err(lost("connection reset"))
            }
            Some(Fault::Answer(error)) => Ok(response(error)),
            Some(Fault::AnswerAfter(error)) => {
                self.send(request, None).await?;
                Ok(response(error))
            }
            Some(Fault::Hang) => self.shared.hang().await,
            Some(Fault::HangAfter) => {
                self.send(request, None).await?;
                self.shared.hang().await
            }
            Some(Fault::Hold(latch)) => {
                latch.wait().await;
                self.send(request, None).await
            }
            Some(Fault::HoldUnderway(latch)) => self.send(request, Some(latch)).await,
            Some(Fault::HoldAnswer(latch)) => {
                let answer = self.send(request, None).await;
                latch.wait().await;
                answer
            }
            Some(Fault::Late(latch)) => {
                let shared = Arc::clone(&self.shared);
                let orphan = Self { call: Call { delivery: None, ..self.call }, ..self };
                tokio::spawn(async move {
                    latch.wait().await;
                    // The caller is long gone: nobody is told.
                    let _ = orphan.send(request, None).await;
                    orphan.shared.arrived_late.add_permits(1);
                });
                shared.hang().await
            }
        }
    }

    async fn step(&self, point: Point) -> Option<Fault> {
        let director = self.shared.director.lock().unwrap().clone();
        match director {
            Some(director) => director.step(&self.call, point).await,
            None => None,
        }
    }

    async fn send(&self, mut request: HttpRequest, underway: Option<Latch>) -> Result<HttpResponse, ConnectorError> {
        let way = match self.shared.contention.as_ref().map(|contention| contention.begin(&self.call)) {
            Some(Err(error)) => return Ok(response(error)),
            Some(Ok(way)) => way,
            None => None,
        };
        match (&way, underway) {
            (Some(_), Some(latch)) => latch.wait().await,
            (Some(way), None) if !self.shared.is_directed() => way.linger().await,
            (Some(_), None) => {
                self.step(Point::Underway).await;
            }
            (None, _) => {}
        }
        if self.shared.forgets_tokens.load(Ordering::SeqCst) {
            forget_token(&mut request);
        }
        self.inner.call(request).await
    }
}

fn forget_token(request: &mut HttpRequest) {
    let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
    if body.as_object_mut().unwrap().remove("ClientRequestToken").is_some() {
        let body = body.to_string();
        request.headers_mut().insert("content-length", body.len().to_string());
        *request.body_mut() = SdkBody::from(body);
    }
}

fn response(error: ErrorAnswer) -> HttpResponse {
    let mut response = HttpResponse::new(error.status.try_into().unwrap(), SdkBody::from(error.body));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    response
}

fn lost(what: &'static str) -> ConnectorError {
    ConnectorError::io(std::io::Error::new(std::io::ErrorKind::ConnectionReset, what).into())
}
