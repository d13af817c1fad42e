package io.kvreactive.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;

/**
 * A certificate authority with PEM files. Its keys and certificates are fixed, and have expiry
 * dates in the distant future.
 *
 * <p>The key store in the test resources was created by {@code keytool -keystore certificates.p12
 * -storepass changeit -startdate 2020/01/01 -validity 36500 -genkeypair} with these arguments:
 *
 * <pre>{@code
 * -alias authority -dname CN=authority -keyalg EC -ext bc:c
 * -alias stranger -dname CN=stranger -keyalg EC -ext bc:c
 * -alias server -dname CN=server -keyalg EC -signer authority -ext san=ip:127.0.0.1,dns:localhost
 * }</pre>
 *
 * <p>The aliases {@code next}, {@code client}, {@code other} and {@code rsa} (with {@code -keyalg
 * RSA}) are like {@code server}; {@code mallory} is too, but signed by {@code stranger}.
 */
public final class Certificates {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private final Path directory;
  private final String name;
  private final KeyStore store = KeyStore.getInstance("PKCS12");

  /**
   * Reads the keys of an authority.
   *
   * @param directory gets the PEM files
   */
  public Certificates(Path directory, String name) throws Exception {
    this.directory = directory;
    this.name = name;
    try (InputStream keys = Certificates.class.getResourceAsStream("/certificates.p12")) {
      store.load(keys, PASSWORD);
    }
  }

  /** The files of a certificate and its key, and a key store that contains both. */
  public record Issued(Path certificate, Path key, KeyStore store) {
    static char[] password() {
      return PASSWORD.clone();
    }

    void copyTo(Issued other) throws IOException {
      for (Path[] pair : new Path[][] {{certificate, other.certificate}, {key, other.key}}) {
        Path draft = Files.copy(pair[0], pair[1].resolveSibling("draft"));
        Files.move(draft, pair[1], StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  public Path ca() throws Exception {
    return pem(name + "-ca.pem", "CERTIFICATE", certificate().getEncoded());
  }

  Certificate certificate() throws Exception {
    return store.getCertificate(name);
  }

  /** Returns a certificate of the authority for 127.0.0.1, for a server or a client. */
  public Issued issue(String alias) throws Exception {
    Certificate[] chain = store.getCertificateChain(alias);
    chain[0].verify(certificate().getPublicKey());
    var key = store.getKey(alias, PASSWORD);
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    own.setKeyEntry(alias, key, PASSWORD, chain);
    return new Issued(
        pem(alias + ".pem", "CERTIFICATE", chain[0].getEncoded()),
        pem(alias + "-key.pem", "PRIVATE KEY", key.getEncoded()),
        own);
  }

  private Path pem(String file, String kind, byte[] der) throws IOException {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String text = "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, base64, kind);
    return Files.writeString(directory.resolve(file), text);
  }
}
