package io.kvreactive.web;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of the server and the policy for client certificates. The files are PEM. They are
 * read again when they change: open connections continue, new ones use the new certificate.
 *
 * @param certificate the server's certificate, followed by its issuers
 * @param key the private key of the certificate, in PKCS#8
 * @param clientCa the certificates that may issue client certificates; null if clients need none
 * @param clients the policy for client certificates
 */
public record TlsOptions(Path certificate, Path key, @Nullable Path clientCa, Clients clients) {
  /** The policy for client certificates. Tokens are required independently of it. */
  public enum Clients {
    /** Clients are not asked for a certificate. */
    NONE,
    /** Clients may present a certificate; an untrusted one ends the connection. */
    OPTIONAL,
    /** Clients must present a trusted certificate to connect. */
    REQUIRED
  }

  /**
   * @throws KvException INVALID_ARGUMENT if {@code clients} is not NONE and {@code clientCa} is
   *     null
   */
  public TlsOptions {
    ArgumentChecks.check(
        clients == Clients.NONE || clientCa != null,
        "clients",
        clients,
        "NONE, because no file of a CA is configured");
  }

  /** Returns options with a server certificate and without client certificates. */
  public static TlsOptions of(Path certificate, Path key) {
    return new TlsOptions(certificate, key, null, Clients.NONE);
  }

  /** Returns these options with client certificates that an authority in {@code ca} has issued. */
  public TlsOptions withClients(Path ca, Clients requested) {
    return new TlsOptions(certificate, key, ca, requested);
  }
}
