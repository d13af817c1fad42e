package io.kvreactive.web.internal.guard;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.TlsOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the certificate and key of a server from their files. Blocks. */
public final class TlsFiles {
  private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
  private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";
  private static final String KEY_END = "-----END PRIVATE KEY-----";

  /**
   * Cipher suites with forward secrecy and authenticated encryption. The first three are those of
   * TLS 1.3.
   */
  private static final List<String> CIPHER_SUITES =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  private TlsFiles() {}

  /** Returns the files to be watched for changes. */
  public static List<Path> files(TlsOptions tls) {
    List<Path> files = new ArrayList<>(List.of(tls.certificate(), tls.key()));
    if (tls.clientCa() != null) {
      files.add(tls.clientCa());
    }
    return files;
  }

  /**
   * Reads the files into the options of a server.
   *
   * @throws KvException INVALID_ARGUMENT if the files cannot be read, or are not a certificate and
   *     its key
   */
  public static void configure(HttpServerOptions server, TlsOptions tls) {
    byte[] certificate = read("certificate", tls.certificate());
    byte[] key = read("key", tls.key());
    check(tls, certificate, key);
    server
        .setSsl(true)
        .setUseAlpn(true)
        .setEnabledSecureTransportProtocols(Set.of("TLSv1.2", "TLSv1.3"))
        .setKeyCertOptions(
            new PemKeyCertOptions()
                .addCertValue(Buffer.buffer(certificate))
                .addKeyValue(Buffer.buffer(key)));
    CIPHER_SUITES.forEach(server::addEnabledCipherSuite);
    server.setClientAuth(
        switch (tls.clients()) {
          case NONE -> ClientAuth.NONE;
          case OPTIONAL -> ClientAuth.REQUEST;
          case REQUIRED -> ClientAuth.REQUIRED;
        });
    if (tls.clientCa() != null) {
      byte[] ca = read("certificates of clients", tls.clientCa());
      checkCa(tls.clientCa(), ca);
      server.setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(ca)));
    }
  }

  private static byte[] read(String what, Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw invalid("%s: file %s not found (expected: a PEM file)".formatted(what, file));
    } catch (IOException e) {
      throw invalid("%s: %s cannot be read (%s)".formatted(what, file, e));
    }
  }

  private static KvException invalid(String detail) {
    return new KvException(KvErrorCode.INVALID_ARGUMENT, detail);
  }

  private static void checkCa(Path file, byte[] ca) {
    try {
      if (CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(ca))
          .isEmpty()) {
        throw new CertificateException("no certificate found");
      }
    } catch (CertificateException e) {
      throw invalid("%s: %s (expected: certificates, PEM)".formatted(file, e.getMessage()));
    }
  }

  /**
   * Checks that the key belongs to the certificate. The two may differ while the files are being
   * replaced one by one.
   */
  private static void check(TlsOptions tls, byte[] certificate, byte[] key) {
    try {
      X509Certificate read =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(certificate));
      if (!belong(read, privateKey(key, read.getPublicKey().getAlgorithm()))) {
        throw new GeneralSecurityException("the key does not belong to the certificate");
      }
      LOG.info(
          "certificate of {}, valid until {}",
          read.getSubjectX500Principal().getName(),
          read.getNotAfter().toInstant());
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw invalid(
          "%s, %s: %s (expected: PEM, the key in PKCS#8)"
              .formatted(tls.certificate(), tls.key(), e.getMessage()));
    }
  }

  private static PrivateKey privateKey(byte[] pem, String algorithm)
      throws GeneralSecurityException {
    String text = new String(pem, StandardCharsets.US_ASCII);
    int begin = text.indexOf(KEY_BEGIN);
    int end = text.indexOf(KEY_END);
    if (begin < 0 || end < begin) {
      throw new GeneralSecurityException("\"" + KEY_BEGIN + "\" not found");
    }
    byte[] der = Base64.getMimeDecoder().decode(text.substring(begin + KEY_BEGIN.length(), end));
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
  }

  private static boolean belong(X509Certificate certificate, PrivateKey key)
      throws GeneralSecurityException {
    String signature =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    byte[] sample = certificate.getTBSCertificate();
    Signature signer = Signature.getInstance(signature);
    signer.initSign(key);
    signer.update(sample);
    byte[] signed = signer.sign();
    Signature verifier = Signature.getInstance(signature);
    verifier.initVerify(certificate.getPublicKey());
    verifier.update(sample);
    return verifier.verify(signed);
  }
}
