package io.kvreactive.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A certificate authority with PEM files, created by the JDK's keytool. */
public final class Certificates {
  private static final String PASSWORD = "changeit";

  private final Path directory;
  private final Path store;
  private final String name;

  /** A new authority. */
  public Certificates(Path directory, String name) throws Exception {
    this.directory = directory;
    this.name = name;
    this.store = directory.resolve(name + ".p12");
    keytool("-genkeypair", "-alias", "ca", "-dname", "CN=" + name, "-keyalg", "EC", "-ext", "bc:c");
  }

  /** The files of a certificate and its key, and a key store that contains both. */
  public record Issued(Path certificate, Path key, KeyStore store) {
    static char[] password() {
      return PASSWORD.toCharArray();
    }

    void copyTo(Issued other) throws IOException {
      for (Path[] pair : new Path[][] {{certificate, other.certificate}, {key, other.key}}) {
        Path draft = Files.copy(pair[0], pair[1].resolveSibling("draft"));
        Files.move(draft, pair[1], StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  public Path ca() throws Exception {
    return pem(name + "-ca.pem", "CERTIFICATE", load().getCertificate("ca").getEncoded());
  }

  Certificate certificate() throws Exception {
    return load().getCertificate("ca");
  }

  /** Creates a certificate for 127.0.0.1, for a server or a client. */
  public Issued issue(String alias) throws Exception {
    return issue(alias, "EC");
  }

  /** Creates such a certificate with a key of the given algorithm. */
  public Issued issue(String alias, String algorithm) throws Exception {
    keytool(
        "-genkeypair",
        "-alias",
        alias,
        "-dname",
        "CN=" + alias,
        "-keyalg",
        algorithm,
        "-signer",
        "ca",
        "-ext",
        "san=ip:127.0.0.1,dns:localhost");
    KeyStore keys = load();
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    var key = keys.getKey(alias, Issued.password());
    own.setKeyEntry(alias, key, Issued.password(), keys.getCertificateChain(alias));
    return new Issued(
        pem(alias + ".pem", "CERTIFICATE", keys.getCertificate(alias).getEncoded()),
        pem(alias + "-key.pem", "PRIVATE KEY", key.getEncoded()),
        own);
  }

  private KeyStore load() throws Exception {
    return KeyStore.getInstance(store.toFile(), Issued.password());
  }

  private Path pem(String file, String kind, byte[] der) throws IOException {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    String text = "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, base64, kind);
    return Files.writeString(directory.resolve(file), text);
  }

  private void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD, "-validity", "2"));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError(Files.readString(directory.resolve("keytool.log")));
    }
  }
}
