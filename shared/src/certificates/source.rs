//! Where certificates are read.

use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_runtime_api::client::http::HttpConnector as _;
use aws_smithy_types::body::SdkBody;

use super::CertificateError;
use crate::outside::{self, BodyError};

const CONNECT: Duration = Duration::from_secs(2);

/// A chain is a few kilobytes.
const TEXT_BYTES_MAX: usize = 64 * 1_024;

/// Reads what is at a URL.
pub trait CertificateSource: Send + Sync + 'static {
    /// Certificates as PEM.
    fn read<'a>(&'a self, url: &'a str)
    -> Pin<Box<dyn Future<Output = Result<Vec<u8>, CertificateError>> + Send + 'a>>;
}

/// The network.
#[derive(Default)]
pub struct Https(OnceLock<Connector>);

impl CertificateSource for Https {
    fn read<'a>(
        &'a self,
        url: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, CertificateError>> + Send + 'a>> {
        Box::pin(async move {
            let request = http::Request::get(url).body(SdkBody::empty()).ok().and_then(|one| one.try_into().ok());
            let request = request.ok_or(CertificateError::Refused("it is nowhere"))?;
            let answer = self.0.get_or_init(|| outside::connector(CONNECT)).call(request).await;
            let answer = answer.map_err(|_| unreachable("its host cannot be reached"))?;
            judge(answer.status().as_u16())?;
            outside::body(answer, TEXT_BYTES_MAX).await.map_err(|error| match error {
                BodyError::BrokeOff => unreachable("its host's answer broke off"),
                BodyError::TooLarge => CertificateError::Refused("it is too large"),
            })
        })
    }
}

fn unreachable(why: &str) -> CertificateError {
    CertificateError::Unreachable(why.to_owned())
}

/// No redirect is followed. Whoever shuts us out, because of a flood that somebody else made us take part in, says nothing of the
/// certificate.
fn judge(status: u16) -> Result<(), CertificateError> {
    match status {
        200 => Ok(()),
        401 | 403 | 408 | 429 | 500..=599 => Err(CertificateError::Unreachable(format!("its host answered {status}"))),
        _ => Err(CertificateError::Refused("its host has none there")),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// What is read where a server gives this answer to the first request.
    async fn read(answer: String) -> Result<Vec<u8>, CertificateError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/certs/CERT-1", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                request.push(stream.read_u8().await.unwrap());
            }
            // The reader may have had enough before the end.
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
            String::from_utf8(request).unwrap()
        });
        let read = Https::default().read(&url).await;
        assert!(server.await.unwrap().starts_with("GET /certs/CERT-1 HTTP/1.1\r\n"));
        read
    }

    fn answer(status: &str, headers: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
    }

    #[tokio::test]
    async fn only_a_small_answer_counts_and_no_redirect_is_followed() {
        assert_eq!(read(answer("200 OK", "", "pem")).await, Ok(b"pem".to_vec()));
        let large = "a".repeat(TEXT_BYTES_MAX + 1);
        assert_eq!(read(answer("200 OK", "", &large)).await, Err(CertificateError::Refused("it is too large")));
        let elsewhere = answer("302 Found", "location: http://127.0.0.1:1/\r\n", "");
        for none in [elsewhere, answer("404 Not Found", "", ""), answer("204 No Content", "", "")] {
            assert_eq!(read(none).await, Err(CertificateError::Refused("its host has none there")));
        }
        for status in ["403 Forbidden", "429 Too Many Requests", "503 Service Unavailable"] {
            let busy = read(answer(status, "", "")).await;
            assert_eq!(busy, Err(unreachable(&format!("its host answered {}", &status[..3]))));
        }
        let cut = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\npem".to_owned();
        assert_eq!(read(cut).await, Err(unreachable("its host's answer broke off")));
    }

    #[tokio::test]
    async fn a_host_that_is_not_there_is_tried_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        drop(listener);
        assert_eq!(Https::default().read(&url).await, Err(unreachable("its host cannot be reached")));
        assert!(matches!(Https::default().read("https://a b").await, Err(CertificateError::Refused(_))));
    }
}
