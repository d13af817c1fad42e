package io.kvreactive.examples;

import io.kvreactive.examples.live.GuestBookVerticle;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.ServerLauncher;

/**
 * Shows a page that lists the entries of the store and follows every change, in any number of
 * windows.
 */
public final class LiveListExample {
  private LiveListExample() {}

  public static void main(String[] args) {
    new ServerLauncher("live", Screen.standard())
        .run(
            args,
            (vertx, kv, port) -> {
              GuestBookVerticle guestBook = new GuestBookVerticle(kv, port);
              return vertx.deployVerticle(guestBook).map(id -> guestBook.url());
            });
  }
}
