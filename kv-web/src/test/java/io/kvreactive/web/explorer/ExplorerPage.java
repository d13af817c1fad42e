package io.kvreactive.web.explorer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The page of the explorer, with helpers for its controls. */
final class ExplorerPage {
  private static final String ROWS = ".entries tbody tr";
  final Page page;

  ExplorerPage(Page page) {
    this.page = page;
  }

  void login(String url, String token) {
    page.open(url);
    page.untilVisible("#token");
    signIn(token);
  }

  void signIn(String token) {
    page.fill("#token", token);
    page.press("Enter");
    page.until("!document.getElementById('login').open");
    page.untilVisible("#main > *");
  }

  void allowEdits() {
    page.click("#edits");
    page.until("document.body.classList.contains('editing')");
  }

  void tab(String view) {
    page.click("#tabs a[data-view=" + view + "]");
    page.until("document.querySelector('#tabs a[aria-current]').dataset.view === '" + view + "'");
  }

  void jump(String text) {
    page.press("/");
    page.until("document.activeElement.closest('#jump')");
    page.fill("#jump input", text);
    page.press("Enter");
  }

  private static String node(String label) {
    return "[...document.querySelectorAll('.tree [role=treeitem]')].find(item =>"
        + " item.querySelector('.part')?.textContent === "
        + Page.quoted(label)
        + ")";
  }

  /** Clicks a node of the tree. */
  void choose(String label) {
    page.until(node(label));
    page.clickElement(node(label) + ".querySelector('.part')");
  }

  boolean expanded(String label) {
    return page.eval(node(label) + ".getAttribute('aria-expanded') === 'true'").asBoolean();
  }

  List<String> tree() {
    return texts("[...document.querySelectorAll('.tree .part')].map(part => part.textContent)");
  }

  /** Waits until the tree has exactly these nodes. */
  void untilTree(String... labels) {
    String all = List.of(labels).stream().map(Page::quoted).collect(Collectors.joining(","));
    page.until(
        "JSON.stringify([...document.querySelectorAll('.tree .part')]"
            + ".map(part => part.textContent)) === JSON.stringify(["
            + all
            + "])");
  }

  /** Waits until the tree has at least these nodes. */
  void untilNodes(String... labels) {
    for (String label : labels) {
      page.until(node(label));
    }
  }

  List<String> keys() {
    return texts(
        "[...document.querySelectorAll('"
            + ROWS
            + "')].map(row => row.querySelector('.c-key').textContent)");
  }

  private List<String> texts(String script) {
    List<String> texts = new ArrayList<>();
    for (JsonNode text : page.eval(script)) {
      texts.add(text.asText());
    }
    return texts;
  }

  private static String row(String key) {
    return "[...document.querySelectorAll('"
        + ROWS
        + "')].find(row => row.querySelector('.c-key').textContent === "
        + Page.quoted(key)
        + ")";
  }

  void untilRow(String key) {
    page.until(row(key));
  }

  void untilNoRow(String key) {
    page.until("!" + row(key));
  }

  String valueOf(String key) {
    untilRow(key);
    return page.eval(row(key) + ".querySelector('.c-value').textContent").asText();
  }

  void untilRows(int rows) {
    page.until("document.querySelectorAll('" + ROWS + "').length === " + rows);
  }

  /** Opens the entry of a row. */
  void open(String key) {
    page.clickElement(row(key));
    untilOpen();
  }

  void untilOpen() {
    page.until(
        "document.querySelector('.editor')?.checkVisibility()"
            + " && document.querySelector('.editor .facts').textContent");
  }

  /** Returns the text in the field of the open entry. */
  String value() {
    return page.eval("document.querySelector('.editor textarea').value").asText();
  }

  void write(String value) {
    page.fill(".editor textarea", value);
  }

  void save() {
    page.pressControl("s");
  }

  void untilToast(String text) {
    page.untilToast(text);
  }
}
