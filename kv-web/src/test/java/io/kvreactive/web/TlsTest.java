package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.Certificates.Issued;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class TlsTest {
  @TempDir static Path shared;
  private static Certificates authority;
  private static Issued first;
  private static Issued next;
  private static Issued client;
  private static Issued withRsa;
  private static Issued stranger;

  @TempDir Path directory;
  private Issued own;
  private TestServer server;
  private Vertx vertx;

  @BeforeAll
  static void issue() throws Exception {
    authority = new Certificates(shared, "authority");
    first = authority.issue("server");
    next = authority.issue("next");
    client = authority.issue("client");
    withRsa = authority.issue("rsa");
    stranger = new Certificates(shared, "stranger").issue("mallory");
  }

  @BeforeEach
  void begin(Vertx vertx) throws IOException {
    this.vertx = vertx;
    LogOf.begin();
    own = new Issued(directory.resolve("cert.pem"), directory.resolve("key.pem"), first.store());
    first.copyTo(own);
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private void start(TlsOptions tls) {
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory()
                .withTls(tls)
                .withSecurity(SecurityOptions.DEFAULT.withReloadEvery(Duration.ofMillis(20))));
  }

  private TlsOptions plain() {
    return TlsOptions.of(own.certificate(), own.key());
  }

  private static SSLContext context(Issued shown) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", authority.certificate());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(shown == null ? null : shown.store(), Issued.password());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private HttpResponse<String> get(HttpClient.Version version, Issued shown, String path)
      throws Exception {
    HttpClient http = HttpClient.newBuilder().version(version).sslContext(context(shown)).build();
    return http.send(
        HttpRequest.newBuilder(server.uri(path))
            .timeout(TestServer.TIMEOUT)
            .header("Authorization", "Bearer " + TestServer.TOKEN)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void speaksBothProtocols() throws Exception {
    start(plain());
    assertThat(server.uri("/").getScheme()).isEqualTo("https");
    for (HttpClient.Version version : HttpClient.Version.values()) {
      HttpResponse<String> response = get(version, null, "/nowhere");
      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.version()).isEqualTo(version);
      assertThat(response.headers().firstValue("Strict-Transport-Security")).isPresent();
    }
  }

  /** Some cipher suites require certificates with RSA keys. */
  @Test
  void acceptsOnlySuitesOfTls12WithForwardSecrecyAndAuthenticatedEncryption() throws Exception {
    withRsa.copyTo(own);
    start(plain());
    for (String weak :
        List.of(
            "TLS_RSA_WITH_AES_128_CBC_SHA",
            "TLS_RSA_WITH_AES_256_CBC_SHA256",
            "TLS_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
            "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384")) {
      assertThatThrownBy(() -> shake(weak)).as(weak).isInstanceOf(SSLException.class);
    }
    for (String strong :
        List.of(
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")) {
      shake(strong);
    }
  }

  private void shake(String suite) throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            context(null)
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout((int) TestServer.TIMEOUT.toMillis());
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.setEnabledCipherSuites(new String[] {suite});
      socket.startHandshake();
    }
  }

  @Test
  void requiresAClientCertificateAndAToken() throws Exception {
    start(plain().withClients(authority.ca(), TlsOptions.Clients.REQUIRED));
    for (HttpClient.Version version : HttpClient.Version.values()) {
      assertThat(get(version, client, "/livez").statusCode()).isEqualTo(200);
      assertThatThrownBy(() -> get(version, null, "/livez")).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> get(version, stranger, "/livez")).isInstanceOf(IOException.class);
    }
    HttpClient http = HttpClient.newBuilder().sslContext(context(client)).build();
    assertThat(
            http.send(
                    HttpRequest.newBuilder(server.uri("/nowhere")).build(),
                    HttpResponse.BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(401);
  }

  @Test
  void acceptsAnOptionalClientCertificate() throws Exception {
    start(plain().withClients(authority.ca(), TlsOptions.Clients.OPTIONAL));
    HttpClient.Version version = HttpClient.Version.HTTP_2;
    assertThat(get(version, null, "/livez").statusCode()).isEqualTo(200);
    assertThat(get(version, client, "/livez").statusCode()).isEqualTo(200);
  }

  private SSLSocket socket(String... protocols) throws Exception {
    SSLSocket socket =
        (SSLSocket)
            context(null)
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), server.port());
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    socket.setSSLParameters(parameters);
    return socket;
  }

  private static String subject(SSLSocket socket) throws SSLException {
    return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }

  @Test
  void acceptsCurrentProtocolsOnly() throws Exception {
    start(plain());
    for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
      try (SSLSocket socket = socket(protocol)) {
        socket.startHandshake();
        assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
      }
    }
    for (int minor = 0; minor < 3; minor++) {
      rejectsOldProtocol(minor);
    }
    try (RawConnection raw = new RawConnection(server.port())) {
      assertThat(raw.send("GET /livez HTTP/1.1", "Host: localhost", "").readToEnd())
          .doesNotContain("HTTP/1.1 200");
    }
  }

  /** The JDK does not support these versions either, so the ClientHello is hand-written. */
  private void rejectsOldProtocol(int minor) throws Exception {
    byte[] hello = new byte[52];
    byte[] head = {22, 3, (byte) minor, 0, 47, 1, 0, 0, 43, 3, (byte) minor};
    System.arraycopy(head, 0, hello, 0, head.length);
    byte[] tail = {0, 0, 4, (byte) 0xC0, 0x09, 0, 0x2F, 1, 0}; // no session, suites, compression
    System.arraycopy(tail, 0, hello, 43, tail.length);
    try (RawConnection raw = new RawConnection(server.port())) {
      String answer = raw.bytes(hello).readToEnd();
      assertThat(answer).as("an alert").startsWith("\u0015");
    }
  }

  @Test
  void closesTlsConnectionsWithSlowHeaders() throws Exception {
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory()
                .withTls(plain())
                .withConnections(
                    ConnectionOptions.DEFAULT.withTimeouts(
                        Duration.ofSeconds(1), Duration.ofMinutes(1)))); // time for the handshake
    AtomicReference<SSLSocket> secured = new AtomicReference<>();
    Conditions.await(() -> handshake(secured));
    try (RawConnection raw = new RawConnection(secured.get())) {
      raw.drip("GET /livez HTTP/1.1", "Host: localhost");
    }
  }

  /** Returns false if the server cut the connection because the handshake came too late. */
  private boolean handshake(AtomicReference<SSLSocket> secured) throws Exception {
    SSLSocket socket = socket();
    try {
      socket.startHandshake();
      secured.set(socket);
      return true;
    } catch (IOException late) {
      socket.close();
      return false;
    }
  }

  @Test
  void usesANewCertificateForNewConnectionsOnly() throws Exception {
    start(plain());
    try (SSLSocket old = socket()) {
      old.startHandshake();
      assertThat(subject(old)).isEqualTo("CN=server");
      next.copyTo(own);
      Conditions.await(
          () -> {
            try (SSLSocket fresh = socket()) {
              fresh.startHandshake();
              return subject(fresh).equals("CN=next");
            }
          });
      RawConnection still = new RawConnection(old);
      assertThat(still.send("GET /livez HTTP/1.1", "Host: localhost", "").readHead())
          .startsWith("HTTP/1.1 200");
    }
    assertThat(get(HttpClient.Version.HTTP_2, null, "/livez").version())
        .as("still by ALPN")
        .isEqualTo(HttpClient.Version.HTTP_2);
  }

  @Test
  void rejectsACertificateWithoutItsKey() throws Exception {
    start(plain());
    Files.copy(
        next.certificate(), own.certificate(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    Conditions.await(() -> LogOf.errors().anyMatch(line -> line.contains("remains in effect")));
    try (SSLSocket fresh = socket()) {
      fresh.startHandshake();
      assertThat(subject(fresh)).isEqualTo("CN=server");
    }
  }

  @Test
  void refusesToStartWithoutItsCertificate() throws Exception {
    Files.writeString(own.key(), "no key");
    assertThatThrownBy(() -> start(plain()))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT));
  }
}
