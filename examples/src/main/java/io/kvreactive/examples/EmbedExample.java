package io.kvreactive.examples;

import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.ServerLauncher;
import java.util.UUID;

/** Shows the store and its routes inside an application that has a web server already. */
public final class EmbedExample {
  private EmbedExample() {}

  public static void main(String[] args) {
    Screen screen = Screen.standard();
    new ServerLauncher("embed", screen)
        .run(
            args,
            (vertx, kv, port) -> {
              String token = UUID.randomUUID().toString();
              ShopVerticle shop = new ShopVerticle("embed", token, port);
              return vertx
                  .deployVerticle(shop)
                  .onSuccess(
                      id -> {
                        screen.line(
                            "curl -H 'Authorization: Bearer %s' %s/kv/api/v1/entries",
                            token, shop.url());
                        screen.line("explorer: %s/kv/#token=%s", shop.url(), token);
                      })
                  .map(id -> shop.url());
            });
  }
}
