package io.kvreactive.server.client;

import java.util.function.Consumer;

/** Reports once that a connection is lost, and once that the server has answered again. */
final class ConnectionNotices {
  private final Consumer<String> notices;
  private boolean lost;

  ConnectionNotices(Consumer<String> notices) {
    this.notices = notices;
  }

  void lost(CliException reason) {
    if (!lost) {
      notices.accept(reason.text() + "; trying again");
    }
    lost = true;
  }

  void answered() {
    if (lost) {
      notices.accept("connected again");
    }
    lost = false;
  }
}
