package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.junit5.VertxExtension;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Items of collections in a browser. */
@ExtendWith(VertxExtension.class)
class ExplorerItemsTest extends ChromiumTest {
  private static final String ITEMS = "/api/v1/collections/people/items";

  @BeforeEach
  void fill() throws Exception {
    String definition = "{\"partitionKey\":{\"paths\":[\"/country\"]}}";
    assertThat(send("PUT", "/api/v1/collections/people", definition)).isEqualTo(201);
    load(
        "people",
        IntStream.range(0, 30)
            .mapToObj(
                i ->
                    "{\"id\":\"p%02d\",\"country\":\"%s\",\"age\":%d,\"ratio\":12.0}"
                        .formatted(i, i % 2 == 0 ? "no" : "it", 20 + i)));
  }

  private String item(String id, String country) throws Exception {
    return server.get(ITEMS + "/" + id + "?partitionKey=%22" + country + "%22").body();
  }

  private void enter() {
    login();
    explorer.tab("collections");
    page.untilText(".item-rows tbody", "p00");
  }

  private void open(String id) {
    page.clickElement(
        "[...document.querySelectorAll('.item-rows button.link')].find(b => b.textContent === '%s')"
            .formatted(id));
    page.untilText("dialog.item .key-title", id);
  }

  private String text() {
    return page.eval("document.querySelector('dialog.item textarea').value").asText();
  }

  private static String button(String label) {
    return "[...document.querySelectorAll('dialog.item button')].find(b => b.textContent === '"
        + label
        + "')";
  }

  @Test
  void showsPagesAndSelectsItems() {
    enter();
    open("p01");
    assertThat(text()).contains("\"country\": \"it\"", "\"ratio\": 12.0").doesNotContain("_etag");
    assertThat(page.eval("document.querySelector('dialog.item textarea').readOnly").asBoolean())
        .isTrue();
    assertThat(page.visible("dialog.item .main")).isFalse();
    page.press("Escape");
    page.until("!document.querySelector('dialog.item')");
    page.choose("[aria-label='Items a page']", "20");
    page.until("document.querySelectorAll('.item-rows tbody tr').length === 20");
    page.click(".items [title='Next page']");
    page.until("document.querySelectorAll('.item-rows tbody tr').length === 10");
    page.click(".items [title='Previous page']");
    page.until("document.querySelectorAll('.item-rows tbody tr').length === 20");
    page.fill("[aria-label=Condition]", "c.country = 'it' AND c.age > 40");
    page.press("Enter");
    page.until("document.querySelectorAll('.item-rows tbody tr').length === 5");
    page.fill("[aria-label=Condition]", "c.country ~ 'it'");
    page.press("Enter");
    page.until("document.querySelector('.items .error').textContent.length > 0");
  }

  @Test
  void createsReplacesAndDeletesItems() throws Exception {
    enter();
    explorer.allowEdits();
    page.clickElement(
        "[...document.querySelectorAll('.items button')].find(b => b.textContent === '+ New item')");
    page.untilText("dialog.item .key-title", "New item");
    assertThat(text()).contains("\"country\"");
    page.fill("dialog.item textarea", "{\"id\": \"p01\", \"country\": \"it\"}");
    page.pressControl("s");
    page.untilText("dialog.item .error", "p01");
    page.fill("dialog.item textarea", "{\"id\": \"q ü?\", \"country\": \"it\", \"n\": 1.0}");
    page.pressControl("s");
    explorer.untilToast("Saved.");
    page.fill("dialog.item textarea", "{\"id\": \"q ü?\", \"country\": \"no\", \"n\": 1.0}");
    page.untilText("dialog.item .error", "partition of an item cannot be changed");
    page.fill("dialog.item textarea", "{\"id\": \"q ü?\", \"country\": \"it\", \"n\": 2.0}");
    page.pressControl("s");
    explorer.untilToast("Saved.");
    assertThat(
            server
                .post(
                    "/api/v1/collections/people/query",
                    "{\"query\":\"SELECT c.n FROM c WHERE c.id = 'q ü?'\"}")
                .body())
        .contains("{\"n\":2.0}");
    page.clickElement(button("Delete"));
    page.click(".ask button[value=yes]");
    explorer.untilToast("Deleted.");
    page.until("!document.querySelector('dialog.item')");
  }

  @Test
  void showsConflictsOfItems() throws Exception {
    enter();
    explorer.allowEdits();
    open("p02");
    page.fill("dialog.item textarea", "{\"id\": \"p02\", \"country\": \"no\", \"age\": 1}");
    send("PUT", ITEMS + "/p02", "{\"id\":\"p02\",\"country\":\"no\",\"age\":2}");
    page.pressControl("s");
    page.untilText("dialog.item .conflict", "Somebody else has changed this item.");
    assertThat(page.text("dialog.item .diff")).contains("- ", "\"age\": 2");
    assertThat(item("p02", "no")).contains("\"age\":2");
    page.clickElement(button("Overwrite"));
    explorer.untilToast("Saved.");
    assertThat(item("p02", "no")).contains("\"age\":1");
    page.fill("dialog.item textarea", "{\"id\": \"p02\", \"country\": \"no\", \"age\": 3}");
    assertThat(send("DELETE", ITEMS + "/p02?partitionKey=%22no%22", "")).isEqualTo(200);
    page.pressControl("s");
    page.untilText("dialog.item .conflict", "Somebody else has deleted this item.");
    page.clickElement(button("Create again"));
    explorer.untilToast("Saved.");
    assertThat(item("p02", "no")).contains("\"age\":3");
  }

  @Test
  void protectsKeysOfCollections() throws Exception {
    login();
    explorer.allowEdits();
    explorer.untilRows(100);
    page.clickElement("document.querySelector('.entries tbody tr')");
    explorer.untilOpen();
    page.untilText(".editor", "This entry is part of a collection.");
    assertThat(page.eval("document.querySelector('.editor textarea').readOnly").asBoolean())
        .isTrue();
    assertThat(page.visible(".editor-foot .main")).isFalse();
    page.clickElement(
        "[...document.querySelectorAll('.editor button')].find(b => b.textContent === 'Edit anyway')");
    page.untilVisible(".editor-foot .main");
    page.press("ArrowDown");
    page.eval("document.querySelectorAll('.entries tbody tr')[1].click()");
    page.until("!document.querySelector('.editor-foot .main').checkVisibility()");
  }
}
