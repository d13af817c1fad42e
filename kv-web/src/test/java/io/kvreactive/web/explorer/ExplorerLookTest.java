package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Takes screenshots of every view into {@code target/explorer} and detects overflowing elements.
 */
@ExtendWith(VertxExtension.class)
class ExplorerLookTest extends ChromiumTest {
  private static final Path PICTURES = Path.of("target", "explorer");
  private String name = "";

  @BeforeEach
  void fill() throws Exception {
    shop();
    for (String message :
        new String[] {
          "{\"value\":{\"mail\":\"welcome\",\"to\":\"ada@example.org\"}}",
          "{\"value\":\"resize\",\"queue\":\"images\"}",
          "{\"value\":\"resize\",\"queue\":\"images\"}",
          "{\"value\":\"later\",\"queue\":\"reports\",\"delay\":10800000}"
        }) {
      assertThat(server.post("/api/v1/enqueue", message).statusCode()).isEqualTo(200);
    }
    server.post("/api/v1/queue/claim", "{\"queue\":\"images\",\"max\":1}");
  }

  @ParameterizedTest
  @CsvSource({"desktop-dark, 1280, 800, dark", "narrow-light, 380, 780, light"})
  void looksGood(String look, int width, int height, String colours) throws Exception {
    check(look, width, height, colours);
  }

  @ParameterizedTest
  @CsvSource({"desktop-light, 1280, 800, light", "narrow-dark, 390, 780, dark"})
  @Tag("long")
  void looksGoodInTheOtherColours(String look, int width, int height, String colours)
      throws Exception {
    check(look, width, height, colours);
  }

  private void check(String look, int width, int height, String colours) throws Exception {
    name = look;
    boolean narrow = width < 700;
    page.size(width, height);
    page.prefers(colours);
    page.open(server.uri("/").toString());
    page.untilVisible("#token");
    picture("login");
    login();
    explorer.untilRow("counters / signups");
    picture("all");
    assertThat(
            page.eval(
                    "[...document.querySelectorAll('#tabs a')].every(tab =>"
                        + " tab.getBoundingClientRect().right <= innerWidth)")
                .asBoolean())
        .as("all tabs are in sight")
        .isTrue();
    if (narrow) {
      page.click(".tree-open");
    }
    explorer.choose("users");
    explorer.untilRow("ada");
    if (narrow) {
      page.click(".tree-open");
      picture("tree");
      page.click(".tree-open");
    }
    explorer.open("grace");
    picture("entry");
    explorer.allowEdits();
    explorer.write("{\n  \"name\": \"Grace\",\n  \"age\": 50,\n  \"city\": \"Arlington\"\n}");
    put("[\"users\",\"grace\"]", "{\"name\":\"Grace Hopper\",\"age\":49}");
    explorer.save();
    page.untilVisible(".conflict");
    picture("conflict");
    page.click(".conflict button");
    page.untilText(".key-title", "grace");
    page.until("!document.querySelector('.conflict').checkVisibility()");
    page.press("Escape");
    page.press("Escape");
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.type("orders 2026 11 1000000000042n");
    picture("jump");
    page.press("Escape");
    explorer.jump("sessions");
    explorer.untilRows(12);
    picture("sessions");
    explorer.jump("products");
    explorer.untilRows(100);
    page.press("n");
    page.untilVisible(".editor");
    picture("new");
    page.press("Escape");
    page.press("Escape");
    page.until("!document.querySelector('.editor').checkVisibility()");
    explorer.jump("users");
    explorer.untilRow("ada");
    explorer.tab("live");
    page.untilText(".live tbody", "Ada");
    put("[\"users\",\"ada\"]", "{\"name\":\"Ada Lovelace\"}");
    delete("[\"users\",\"tony\"]");
    page.untilText(".live tbody", "deleted");
    picture("live");
    explorer.tab("queues");
    page.untilText(".queues tbody", "images");
    picture("queues");
    explorer.tab("stats");
    page.until("document.querySelector('.chart polyline').getAttribute('points').includes(' ')");
    picture("stats");
    explorer.tab("transfer");
    picture("transfer");
    page.click("#help-open");
    picture("help");
  }

  private void picture(String view) throws IOException {
    page.until("!document.querySelector('[aria-busy]')");
    page.until("document.getAnimations().every(one => one.playState !== 'running')");
    page.screenshot(PICTURES.resolve(name + "-" + view + ".png"));
    assertThat(page.eval("document.documentElement.scrollWidth <= innerWidth").asBoolean())
        .as("%s hangs over the edge", view)
        .isTrue();
  }
}
