package io.kvreactive.connect.internal;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.http.client.AttemptFailure;
import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest versionstamp that this client has received. A new read sees at least that version,
 * which is used as the version of a read if the server does not send one. Thread-safe.
 */
final class NewestVersion {
  private volatile Versionstamp seen = Versionstamp.ZERO;

  Versionstamp seen() {
    return seen;
  }

  synchronized void see(Versionstamp stamp) {
    seen = ReadResponseParser.later(seen, stamp);
  }

  /**
   * Returns the version of a read that servers of this project send.
   *
   * @return the version, or null if the server does not send one
   * @throws AttemptFailure if the header is malformed
   */
  static @Nullable Versionstamp of(MultiMap headers) {
    String header = headers.get(ConnectProtocol.VERSIONSTAMP_HEADER);
    try {
      return header == null ? null : Versionstamp.parse(header);
    } catch (KvException e) {
      throw AttemptFailure.malformed(e.detail());
    }
  }
}
