package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.junit5.VertxExtension;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks every view with axe-core: no serious or critical violation of WCAG. */
@ExtendWith(VertxExtension.class)
class ExplorerAccessibilityTest extends ChromiumTest {
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

  private String query;

  @Test
  void hasNoSeriousViolations() throws Exception {
    checkAll("light", "");
    page.eval("document.querySelector('dialog[open]').append(document.createElement('button')), 1");
    assertThat(page.eval(query).toString()).contains("button-name"); // violations are found
  }

  @Test
  @Tag("long")
  void hasNoSeriousViolationsInTheDark() throws Exception {
    checkAll("dark", "");
  }

  /** Only the colours differ from those of the light scheme. */
  @Test
  @Tag("short")
  void hasEnoughContrastInTheDark() throws Exception {
    checkAll("dark", "runOnly: ['color-contrast'],");
    page.eval(
        "document.querySelector('dialog[open] h2').style = 'color: #222; background: #111', 1");
    assertThat(page.eval(query).toString()).contains("color-contrast"); // violations are found
  }

  private void checkAll(String colours, String rules) throws Exception {
    query = QUERY.formatted(rules);
    server.send(
        "PUT",
        "/api/v1/collections/people",
        "{}",
        request -> request.setHeader("Content-Type", "application/json"));
    for (int i = 0; i < 3; i++) {
      server.post(
          "/api/v1/collections/people/items",
          "{\"id\":\"p%d\",\"city\":\"Oslo\",\"age\":%d,\"ok\":true,\"none\":null}"
              .formatted(i, i));
    }
    put("[\"users\",\"ada\"]", "{\"name\":\"Ada\",\"age\":36}");
    put("[\"users\",12]", "{\"$bigint\":\"7\"}");
    put("[\"users\",true]", "{\"$bytes\":\"AP8Q\"}");
    page.prefers(colours);
    page.open(server.uri("/").toString());
    page.untilVisible("#token");
    check("login");
    login();
    explorer.allowEdits();
    explorer.jump("users/ada");
    explorer.untilOpen();
    check("data");
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.type("us");
    page.untilVisible("#jump [role=option]");
    check("jump");
    page.press("Escape");
    page.press("Escape");
    explorer.tab("collections");
    page.untilText(".item-rows", "p1");
    check("items");
    page.clickElement("document.querySelector('.item-rows button.link')");
    page.untilVisible("dialog.item");
    check("item");
    page.press("Escape");
    page.until("!document.querySelector('dialog.item')");
    page.clickElement(
        "[...document.querySelectorAll('.parts button')].find(b => b.textContent === 'Definition')");
    page.untilVisible(".definition-form");
    check("definition");
    explorer.tab("query");
    page.untilText(".query select", "people");
    page.fill("[aria-label=Query]", "SELECT * FROM c WHERE c.city = 'Oslo' AND c.age > 0");
    page.click(".ask-query .main");
    page.untilText("table.rows", "Oslo");
    page.click(".query summary");
    check("query");
    for (String view : new String[] {"live", "queues", "stats", "transfer"}) {
      explorer.tab(view);
      page.untilVisible("#main > :not([hidden])");
      check(view);
    }
    page.click("#help-open");
    check("help");
  }

  private void check(String view) throws Exception {
    page.until("document.getAnimations().every(one => one.playState !== 'running')");
    page.until("!document.querySelector('[aria-busy]') && !document.querySelector('#toasts p')");
    if (page.eval("typeof axe === 'undefined'").asBoolean()) {
      try (InputStream axe = getClass().getResourceAsStream(AXE)) {
        page.eval(QUIET + new String(axe.readAllBytes(), StandardCharsets.UTF_8) + ";1");
      }
    }
    JsonNode found = page.eval(query);
    assertThat(found.isArray()).as(view).isTrue();
    assertThat(found).as(view).isEmpty();
  }
}
