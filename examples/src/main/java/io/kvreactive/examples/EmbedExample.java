package io.kvreactive.examples;

import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.ServerLauncher;

/** Shows the store and its routes inside an application that has a web server already. */
public final class EmbedExample {
  private static final String PASSWORD = "only for this example";

  private EmbedExample() {}

  public static void main(String[] args) {
    Screen screen = Screen.standard();
    new ServerLauncher("embed", screen)
        .run(
            args,
            (vertx, kv, port) -> {
              ShopVerticle shop = new ShopVerticle("embed", PASSWORD, port);
              return vertx
                  .deployVerticle(shop)
                  .onSuccess(
                      id ->
                          screen.line(
                              "curl -H 'X-Password: %s' %s/kv/api/v1/entries",
                              PASSWORD, shop.url()))
                  .map(id -> shop.url());
            });
  }
}
