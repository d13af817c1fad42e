package io.kvreactive.connect.internal;

import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.ConnectProtocol;
import io.vertx.core.MultiMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest versionstamp that servers have told this client of. A read that begins now sees at
 * least that version, which is what is known of its own when the server does not tell. Any thread.
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
   * The version that our servers read at.
   *
   * @return null when the server does not tell
   * @throws AttemptFailure when it tells what is none
   */
  static @Nullable Versionstamp told(MultiMap headers) {
    String header = headers.get(ConnectProtocol.VERSIONSTAMP_HEADER);
    try {
      return header == null ? null : Versionstamp.parse(header);
    } catch (KvException e) {
      throw AttemptFailure.malformed(e.detail());
    }
  }
}
