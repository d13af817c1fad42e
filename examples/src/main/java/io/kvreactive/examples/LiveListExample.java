package io.kvreactive.examples;

import io.kvreactive.examples.live.GuestBookVerticle;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.ServerLauncher;

/**
 * A page that lists what is in the store, and follows every change, in as many windows as you open.
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
