package io.kvreactive.web;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How the server proves who it is, and whether callers must. The files are PEM, and read again when
 * they change: connections that are open go on, new ones meet the new certificate.
 *
 * @param certificate the server's, followed by those that signed it
 * @param key its private key, in PKCS#8
 * @param clientCa certificates that may sign those of clients; null when clients need none
 * @param clients whether clients must have one
 */
public record TlsOptions(Path certificate, Path key, @Nullable Path clientCa, Clients clients) {
  /** Whether callers prove who they are by certificates; their tokens are asked for besides. */
  public enum Clients {
    /** They are not asked for one. */
    NONE,
    /** They may show one; one that nobody trusted has signed ends the connection. */
    OPTIONAL,
    /** Who shows none cannot connect. */
    REQUIRED
  }

  /**
   * @throws IllegalArgumentException with {@code clients} other than NONE and no {@code clientCa}
   */
  public TlsOptions {
    if (clients != Clients.NONE && clientCa == null) {
      throw new IllegalArgumentException(
          "clients: " + clients + " (expected: NONE, for there is no file of their CA)");
    }
  }

  /** The server has a certificate, its clients need none. */
  public static TlsOptions of(Path certificate, Path key) {
    return new TlsOptions(certificate, key, null, Clients.NONE);
  }

  /** Clients show certificates that one of these has signed. */
  public TlsOptions withClients(Path ca, Clients asked) {
    return new TlsOptions(certificate, key, ca, asked);
  }
}
