package io.kvreactive.examples;

import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.ServerLauncher;
import java.util.UUID;

/**
 * Shows a page that lists the entries of the store and follows every change, in any number of
 * windows.
 */
public final class LiveListExample {
  private LiveListExample() {}

  public static void main(String[] args) {
    Screen screen = Screen.standard();
    new ServerLauncher("live", screen)
        .run(
            args,
            (vertx, kv, port) -> {
              String token = UUID.randomUUID().toString();
              GuestBookVerticle guestBook = new GuestBookVerticle(kv, token, port);
              return vertx
                  .deployVerticle(guestBook)
                  .onSuccess(
                      id ->
                          screen.line(
                              "curl -X PUT -H 'Authorization: Bearer %s' -H 'Content-Type:"
                                  + " application/json' -d '\"Ada\"'"
                                  + " '%s/kv/api/v1/entry?key=%%5B%%22guests%%22,%%22ada%%22%%5D'",
                              token, guestBook.url()))
                  .map(id -> guestBook.page());
            });
  }
}
