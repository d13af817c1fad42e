package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.TestServer;
import io.vertx.junit5.VertxExtension;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Visits every view. On wide and narrow screens nothing hangs over the edge, and in light and dark
 * colours axe-core finds no serious or critical violation of WCAG.
 */
@ExtendWith(VertxExtension.class)
class ExplorerLookTest extends ChromiumTest {
  private static final Path PICTURES = Path.of("target", "explorer");
  private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";

  /** Prevents a warning in the console about the way in which axe-core uses canvases. */
  private static final String QUIET =
      """
      (get => HTMLCanvasElement.prototype.getContext = function (kind, options) {
        return get.call(this, kind, { ...options, willReadFrequently: true });
      })(HTMLCanvasElement.prototype.getContext);
      """;

  private static final String QUERY =
      """
      axe.run(document, { %s resultTypes: ['violations'] }).then(found => found.violations
        .filter(one => one.impact === 'serious' || one.impact === 'critical')
        .map(one => one.id + ': ' + one.nodes.slice(0, 3).map(node => node.html.slice(0, 200) + ' ' + node.failureSummary).join(' | ')))
      """;

  private static final String ALL_RULES = "";
  private static final String CONTRAST = "runOnly: ['color-contrast'],";

  /**
   * A screen.
   *
   * @param rules the option of axe-core for its rules; null if it does not run
   */
  private record Look(String name, int width, int height, String colours, String rules) {}

  private List<Look> looks;
  private boolean pictured;

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
    assertThat(send("PUT", "/api/v1/collections/orders", "{}")).isEqualTo(201);
    assertThat(send("PUT", "/api/v1/collections/people", "{}")).isEqualTo(201);
    load(
        "people",
        IntStream.range(0, 12)
            .mapToObj(
                i ->
                    "{\"id\":\"p%d\",\"name\":\"Person %d\",\"city\":\"%s\",\"age\":%d,\"ok\":true,\"none\":null,\"tags\":[\"a\",%d]}"
                        .formatted(i, i, i % 3 == 0 ? "Oslo" : "Rome", 20 + i, i)));
  }

  /** Of the dark colours, only their contrast can differ. */
  @Test
  @Tag("short")
  void isInSightAndAccessible() throws Exception {
    visitAll(
        false,
        new Look("desktop-light", 1280, 800, "light", ALL_RULES),
        new Look("desktop-dark", 1280, 800, "dark", CONTRAST),
        new Look("narrow-dark", 380, 780, "dark", null));
  }

  /** Takes screenshots of every view into {@code target/explorer} too. */
  @Test
  @Tag("long")
  void isInSightAndAccessibleOnAllScreens() throws Exception {
    visitAll(
        true,
        new Look("desktop-light", 1280, 800, "light", ALL_RULES),
        new Look("desktop-dark", 1280, 800, "dark", ALL_RULES),
        new Look("narrow-light", 380, 780, "light", ALL_RULES),
        new Look("narrow-dark", 390, 780, "dark", ALL_RULES));
  }

  private void visitAll(boolean pictured, Look... looks) throws Exception {
    this.pictured = pictured;
    this.looks = List.of(looks);
    page.open(server.uri("/").toString());
    page.untilVisible("#token");
    check("login");
    explorer.signIn(TestServer.TOKEN);
    explorer.untilRow("counters / signups");
    show("all");
    visitEntries();
    visitCollections();
    visitQueries();
    explorer.tab("live");
    page.untilText(".live tbody", "Ada");
    put("[\"users\",\"ada\"]", "{\"name\":\"Ada Lovelace\"}");
    delete("[\"users\",\"tony\"]");
    page.untilText(".live tbody", "deleted");
    check("live");
    explorer.tab("queues");
    page.untilText(".queues tbody", "images");
    check("queues");
    explorer.tab("stats");
    page.until("document.querySelector('.chart polyline').getAttribute('points')");
    page.press("r");
    page.until("document.querySelector('.chart polyline').getAttribute('points').includes(' ')");
    check("stats");
    explorer.tab("transfer");
    page.untilVisible(".transfer");
    check("transfer");
    page.click("#help-open");
    check("help");
    page.eval("document.querySelector('dialog[open]').append(document.createElement('button')), 1");
    assertThat(violations(ALL_RULES).toString()).contains("button-name"); // they are found
    page.eval(
        "document.querySelector('dialog[open] h2').style = 'color: #222; background: #111', 1");
    assertThat(violations(CONTRAST).toString()).contains("color-contrast");
  }

  private void visitEntries() throws Exception {
    page.size(380, 780);
    page.click(".tree-open");
    explorer.choose("users"); // which closes the tree
    explorer.untilRow("ada");
    page.click(".tree-open");
    show("tree");
    explorer.allowEdits();
    explorer.open("grace");
    check("entry");
    explorer.write("{\n  \"name\": \"Grace\",\n  \"age\": 50,\n  \"city\": \"Arlington\"\n}");
    put("[\"users\",\"grace\"]", "{\"name\":\"Grace Hopper\",\"age\":49}");
    explorer.save();
    page.untilVisible(".conflict");
    show("conflict");
    page.click(".conflict button");
    page.until("!document.querySelector('.conflict').checkVisibility()");
    page.press("Escape");
    page.press("Escape");
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.type("us");
    page.untilVisible("#jump [role=option]");
    check("jump");
    page.fill("#jump input", "orders 2026 11 1000000000042n");
    show("key");
    page.press("Escape");
    explorer.jump("sessions");
    explorer.untilRows(12);
    show("sessions");
    page.press("n");
    page.untilVisible(".editor");
    show("new");
    page.press("Escape");
    page.press("Escape");
    page.until("!document.querySelector('.editor').checkVisibility()");
    explorer.jump("users");
    explorer.untilRow("ada");
  }

  private void visitCollections() throws Exception {
    explorer.tab("collections");
    page.untilText(".names", "people");
    page.clickElement(button(".names", "people"));
    page.untilText(".definition h2", "people");
    page.untilText(".item-rows", "p1");
    check("items");
    page.size(380, 780);
    assertThat(
            page.eval(
                    "document.querySelector('.wide-part').getBoundingClientRect().top -"
                        + " document.querySelector('.collections"
                        + " aside').getBoundingClientRect().bottom")
                .asDouble())
        .as("the space between the list and the items")
        .isBetween(0.0, 30.0);
    page.clickElement("document.querySelector('.item-rows button.link')");
    page.untilVisible("dialog.item");
    check("item");
    page.press("Escape");
    page.until("!document.querySelector('dialog.item')");
    page.clickElement(button(".parts", "Definition"));
    page.untilVisible(".definition-form");
    page.clickElement(button(".definition", "Count sizes"));
    page.untilText(".sizes", "all indexes");
    check("definition");
  }

  private void visitQueries() throws Exception {
    explorer.tab("query");
    page.until("document.querySelector('.query select').options.length === 2");
    page.choose(".query select", "people");
    page.fill("[aria-label=Query]", "SELECT * FROM c WHERE c.city LIKES 'Oslo'");
    page.click(".ask-query .main");
    page.untilVisible(".query-problem mark");
    show("query-error");
    String query = "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 0";
    page.fill("[aria-label=Query]", query);
    page.clickElement(button(".query", "Explain"));
    page.untilText(".plan", "Indexes that would help");
    show("explain");
    page.fill("[aria-label=Query]", query);
    page.click(".ask-query .main");
    page.untilText("table.rows", "Oslo");
    page.click(".query summary");
    check("query");
    page.fill(
        "[aria-label=Query]",
        "SELECT c.id, VectorDistance([c.age, 1, 2], [3, 2, 1]) AS score, [c.age, 1, 2] AS v,"
            + " {'type': 'Point', 'coordinates': [c.age, c.age / 2]} AS at FROM c");
    page.click(".ask-query .main");
    page.untilVisible("td.score rect");
    show("scores");
    page.choose("[aria-label='Show rows as']", "vectors");
    page.untilVisible(".vectors circle");
    show("vectors");
    page.choose("[aria-label='Show rows as']", "map");
    page.untilVisible(".map circle");
    show("map");
  }

  private static String button(String part, String label) {
    return "[...document.querySelectorAll('%s button')].find(b => b.textContent === '%s')"
        .formatted(part, label);
  }

  private void show(String view) throws Exception {
    visit(view, false);
  }

  /** Shows the view and checks whether it is accessible. */
  private void check(String view) throws Exception {
    page.until("!document.querySelector('#toasts p')");
    visit(view, true);
  }

  private void visit(String view, boolean checked) throws Exception {
    for (Look look : looks) {
      String name = look.name() + "-" + view;
      page.size(look.width(), look.height());
      page.prefers(look.colours());
      page.until(
          "!document.querySelector('[aria-busy]')"
              + " && document.getAnimations().every(one => one.playState !== 'running')");
      if (pictured) {
        page.screenshot(PICTURES.resolve(name + ".png"));
      }
      assertThat(page.eval("document.documentElement.scrollWidth <= innerWidth").asBoolean())
          .as("%s hangs over the edge", name)
          .isTrue();
      assertThat(
              page.eval(
                      "[...document.querySelectorAll('#tabs a')].every(tab =>"
                          + " tab.getBoundingClientRect().right <= innerWidth)")
                  .asBoolean())
          .as("%s: all tabs are in sight", name)
          .isTrue();
      if (checked && look.rules() != null) {
        assertThat(violations(look.rules())).as(name).isEmpty();
      }
    }
    page.size(1280, 800);
  }

  private JsonNode violations(String rules) throws Exception {
    if (page.eval("typeof axe === 'undefined'").asBoolean()) {
      try (InputStream axe = getClass().getResourceAsStream(AXE)) {
        page.eval(QUIET + new String(axe.readAllBytes(), StandardCharsets.UTF_8) + ";1");
      }
    }
    JsonNode found = page.eval(QUERY.formatted(rules));
    assertThat(found.isArray()).isTrue();
    return found;
  }
}
