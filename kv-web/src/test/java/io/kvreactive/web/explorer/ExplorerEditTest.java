package io.kvreactive.web.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Changing entries. */
@ExtendWith(VertxExtension.class)
class ExplorerEditTest extends ChromiumTest {
  private static final String KEY = "[\"users\",\"ada\"]";

  private void openAda() {
    login();
    explorer.jump("users/ada");
    explorer.untilOpen();
  }

  private void untilStored(String part) throws Exception {
    explorer.untilToast("Saved.");
    assertThat(stored(KEY)).contains(part);
  }

  @Test
  void forbidsEditsUnlessAllowed() throws Exception {
    put(KEY, "\"Ada\"");
    openAda();
    assertThat(page.eval("document.querySelector('.editor textarea').readOnly").asBoolean())
        .isTrue();
    for (String control : new String[] {".editor .main", ".editor .danger", ".bar [title^=New]"}) {
      assertThat(page.visible(control)).as(control).isFalse();
    }
    explorer.save();
    page.press("n");
    explorer.untilToast("Read-only");
    explorer.allowEdits();
    page.untilVisible(".editor .main");
    page.open(server.uri("/") + "?again#key=" + KEY); // and the next visit starts in the same way
    explorer.untilOpen();
    assertThat(page.eval("document.getElementById('edits').checked").asBoolean()).isFalse();
  }

  @Test
  void savesOnlyTheEditedValue() throws Exception {
    put(KEY, "{\"ratio\":12.0,\"count\":12,\"huge\":1.0E100}");
    openAda();
    explorer.allowEdits();
    assertThat(explorer.value()).contains("12.0", "1.0E100");
    explorer.write(explorer.value().replace("12,", "13,"));
    explorer.save();
    untilStored("{\"ratio\":12.0,\"count\":13,\"huge\":1.0E100}");
    page.until("document.querySelector('.entries td.c-value').textContent.includes('13')");
  }

  @Test
  void reportsThePositionOfInvalidJson() throws Exception {
    put(KEY, "{}");
    openAda();
    explorer.allowEdits();
    explorer.write("{\n  \"a\": 1,,\n}");
    page.untilText(".editor .error", "line 2");
    assertThat(page.eval("document.querySelector('.editor .main').disabled").asBoolean()).isTrue();
    explorer.write(
        "{\"a\": 36028797018963969}"); // not representable as a double, as the server reports
    explorer.save();
    page.untilText(".editor .error", "36028797018963969");
    assertThat(stored(KEY)).contains("\"value\":{}");
  }

  /** The kind, the text in its field, and the stored JSON; first those of the short form. */
  private static final String[][] KINDS = {
    {"number", "12.50", "12.5"},
    {"bigint", "123n", "{\"$bigint\":\"123\"}"},
    {"hex", "00 ff 10", "{\"$bytes\":\"AP8Q\"}"},
    {"date", "2026-01-31T12:00:00Z", "{\"$date\":\"2026-01-31T12:00:00Z\"}"},
    {"u64", "18446744073709551615", "{\"$u64\":\"18446744073709551615\"}"},
    {"string", "12", "\"12\""},
    {"boolean", "true", "true"},
    {"null", "", "null"},
    {"base64", "AP8Q", "{\"$bytes\":\"AP8Q\"}"},
    {"map", "[[\"a\", 1], [2, {\"b\": 3}]]", "{\"$map\":[[\"a\",1],[2,{\"b\":3}]]}"},
    {"set", "[1, \"a\"]", "{\"$set\":[1,\"a\"]}"},
    {"undefined", "", "{\"$undefined\":true}"},
    {"json", "[1,{\"$set\":[2]}]", "[1,{\"$set\":[2]}]"}
  };

  @Test
  void hasAFieldForEachKind() throws Exception {
    login();
    for (String[] each : List.of(KINDS).subList(0, Tries.of(5, KINDS.length))) {
      hasAField(each[0], each[1], each[2]);
    }
  }

  private void hasAField(String kind, String text, String json) throws Exception {
    put(KEY, "{\"some\":\"thing\"}");
    page.open(server.uri("/") + "?" + kind + "#key=" + KEY);
    explorer.untilOpen();
    explorer.allowEdits();
    page.choose(".editor-kind select", kind);
    if (!text.isEmpty()) {
      explorer.write(text);
    }
    explorer.save();
    untilStored("\"value\":" + json);
    page.until("!document.querySelector('.editor .error').textContent");
    if (!kind.equals("base64")) { // which is displayed as hex
      page.until("document.querySelector('.editor-kind select').value === '" + kind + "'");
    }
  }

  @Test
  void saysWhatToTypeForMapsSetsAndUnknownForms() throws Exception {
    put(KEY, "{\"a\":1,\"b\":[2]}");
    openAda();
    explorer.allowEdits();
    page.untilText(".editor .form", "{\"$map\": [[\"a\", 1]]}");
    explorer.write("{\"a\": {\"$nope\": 1}}");
    explorer.save();
    page.untilText(".editor .error", "such as $map, $set");
    page.untilText(".editor .error", "{\"$object\":{\"$nope\":…}}");
    explorer.write("{\"a\":1,\"b\":[2]}");
    page.choose(".editor-kind select", "map");
    page.until(
        "document.querySelector('.editor textarea').value.replace(/\\s/g, '') ==="
            + " '[[\"a\",1],[\"b\",[2]]]'");
    explorer.write("[[\"a\", 1], [\"b\"]]");
    page.untilText(".editor .error", "instead of [\"b\"]");
    page.choose(".editor-kind select", "json");
    page.choose(".editor-kind select", "undefined");
    explorer.save();
    untilStored("{\"$undefined\":true}");
  }

  @Test
  void foldsAndEditsTheRest() throws Exception {
    put(KEY, "{\"first\":{\"a\":[1,2],\"⋯\":\"⋯1 line⋯\"},\"second\":[3,4],\"third\":5}");
    openAda();
    String whole = explorer.value();
    page.clickElement("document.querySelectorAll('.editor .fold-mark')[1]");
    page.until(
        "document.querySelector('.editor textarea').value.includes('\"first\": {⋯5 lines⋯},')");
    assertThat(page.visible(".editor .is-folded")).isTrue();
    page.clickElement("document.querySelector('.editor .is-folded')");
    page.until("document.querySelector('.editor textarea').value === " + Page.quoted(whole));
    explorer.allowEdits();
    page.click(".editor .fold-all");
    page.until(
        "document.querySelector('.editor textarea').value.split('\\n').length === 5"
            + " && document.querySelector('.fold-all').textContent === 'Unfold all'");
    assertThat(page.eval("document.querySelector('.editor .main').disabled").asBoolean()).isTrue();
    page.eval(
        "(e => { const at = e.value.indexOf('5\\n}'); e.focus(); e.setSelectionRange(at, at + 1) })"
            + "(document.querySelector('.editor textarea'))");
    page.type("6");
    explorer.save();
    untilStored("{\"first\":{\"a\":[1,2],\"⋯\":\"⋯1 line⋯\"},\"second\":[3,4],\"third\":6}");
    page.until(
        "document.querySelector('.editor textarea').value === "
            + Page.quoted(whole.replace("5\n}", "6\n}")));
    page.eval(
        "(e => { const at = e.value.indexOf('3'); e.focus(); e.setSelectionRange(at, at) })"
            + "(document.querySelector('.editor textarea'))");
    page.pressControlShift("BracketLeft");
    page.until(
        "document.querySelector('.editor textarea').value.includes('\"second\": [⋯2 lines⋯]')");
    page.eval(
        "(e => { const at = e.value.indexOf('2 lines'); e.setSelectionRange(at, at + 1) })"
            + "(document.querySelector('.editor textarea'))");
    page.type("7");
    page.untilText(".editor .error", "a folded part was changed");
    page.eval("document.execCommand('undo')");
    page.until("!document.querySelector('.editor .error').textContent");
    page.pressControlShift("BracketRight");
    page.until(
        "document.querySelector('.editor textarea').value === "
            + Page.quoted(whole.replace("5\n}", "6\n}")));
  }

  @Test
  void comparesWithTheStoredValueOnAConflict() throws Exception {
    put(KEY, "{\"name\":\"Ada\",\"age\":36,\"city\":\"London\"}");
    openAda();
    explorer.allowEdits();
    explorer.write("{\"name\": \"Ada\", \"age\": 37, \"city\": \"London\"}");
    put(KEY, "{\"name\":\"Ada\",\"age\":36,\"city\":\"Paris\",\"x\":1}");
    explorer.save();
    page.untilText(".conflict th", "Stored now");
    assertThat(
            page.eval(
                    "[...document.querySelectorAll('.conflict .diff tbody tr')].map(row =>"
                        + " [...row.cells].map(cell => cell.textContent.trim()).join(' | '))")
                .toString())
        .isEqualTo(
            "[\"{ | {\",\"\\\"name\\\": \\\"Ada\\\", | \\\"name\\\": \\\"Ada\\\",\","
                + "\"-   \\\"age\\\": 36, | +   \\\"age\\\": 37,\","
                + "\"-   \\\"city\\\": \\\"Paris\\\", | +   \\\"city\\\": \\\"London\\\"\","
                + "\"-   \\\"x\\\": 1 | \",\"} | }\"]");
  }

  @Test
  void showsConcurrentChanges() throws Exception {
    put(KEY, "\"first\"");
    openAda();
    explorer.allowEdits();
    explorer.write("mine");
    put(KEY, "\"theirs\"");
    explorer.save();
    page.untilText(".conflict", "It was changed meanwhile.");
    assertThat(page.text(".conflict")).contains("\"theirs\"");
    assertThat(stored(KEY)).contains("theirs");
    put(KEY, "\"theirs again\"");
    page.click(".conflict .danger"); // overwrites only the shown version, nothing newer
    page.untilText(".conflict", "theirs again");
    page.click(".conflict .danger");
    untilStored("\"mine\"");
  }

  @Test
  void discardsTheEditOnAConflict() throws Exception {
    put(KEY, "\"first\"");
    openAda();
    explorer.allowEdits();
    explorer.write("mine");
    put(KEY, "\"theirs\"");
    explorer.save();
    page.untilVisible(".conflict");
    page.click(".conflict button");
    page.until("document.querySelector('.editor textarea').value === 'theirs'");
    delete(KEY);
    explorer.write("too late");
    explorer.save();
    page.untilText(".conflict", "It was deleted meanwhile.");
  }

  @Test
  void staysWhereOneWentDuringASave() throws Exception {
    put(KEY, "\"Ada\"");
    put("[\"users\",\"bob\"]", "\"Bob\"");
    openAda();
    explorer.allowEdits();
    explorer.write("Augusta");
    page.eval( // goes to Bob with the first request after the write
        """
        {
          const real = window.fetch;
          let written = false;
          window.fetch = async (url, options) => {
            if (written) {
              window.fetch = real;
              const rows = [...document.querySelectorAll('.entries tbody tr')];
              rows.find(row => row.textContent.includes('bob')).click();
              const title = document.querySelector('.editor .key-title');
              while (!title.textContent.includes('bob')) await new Promise(done => setTimeout(done));
            }
            written ||= options.method === 'PUT';
            return real(url, options);
          };
        }
        """);
    explorer.save();
    explorer.untilToast("Saved.");
    page.until("document.querySelector('.entries').textContent.includes('Augusta')");
    page.until("document.querySelector('.editor textarea').value === 'Bob'");
    assertThat(page.eval("location.hash").asText()).contains("bob");
  }

  @Test
  void createsAndDeletes() throws Exception {
    login();
    explorer.allowEdits();
    page.press("n");
    page.until("document.activeElement.closest('.editor .key-field')");
    page.type("users/ada");
    page.eval("document.querySelector('.editor textarea').focus()");
    page.type("Ada");
    explorer.save();
    untilStored("\"value\":\"Ada\"");
    explorer.untilRow("users / ada");
    explorer.choose("users");
    explorer.untilRow("ada");
    explorer.untilNodes("ada");

    page.press("n"); // such an entry already exists
    page.until("document.activeElement.closest('.editor .key-field')");
    page.type("ada");
    explorer.save();
    page.untilText(".conflict", "There is such an entry already.");
    page.click(".conflict button");
    page.until("document.querySelector('.editor textarea').value === 'Ada'");

    page.click(".editor-foot .danger");
    page.untilVisible(".ask");
    page.click(".ask button[value=no]");
    assertThat(stored(KEY)).contains("Ada");
    page.click(".editor-foot .danger");
    page.click(".ask button[value=yes]");
    explorer.untilToast("Deleted.");
    assertThat(stored(KEY)).contains("NO_SUCH_KEY");
    explorer.untilNoRow("ada");
  }

  @Test
  void showsAndDeletesAnUnparseableKey(Vertx vertx) throws Exception {
    Kv damaged = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    byte[] bytes = {2, 'p', 0, 0}; // after "p", a part with the tag 0
    damaged.set(KvKey.fromEncoded(bytes), "lost").block(TestServer.TIMEOUT);
    copy(damaged);
    damaged.close().block(TestServer.TIMEOUT);
    String key = "{\"$key\":\"AnAAAA==\"}";
    login();
    explorer.allowEdits();
    explorer.choose("p");
    explorer.untilRow(key);
    explorer.untilNodes(key);
    explorer.choose(key);
    explorer.untilOpen();
    assertThat(explorer.value()).isEqualTo("lost");
    page.click(".editor-foot .danger");
    page.untilVisible(".ask");
    page.click(".ask button[value=yes]");
    explorer.untilToast("Deleted.");
    explorer.untilNoRow(key);
    assertThat(stored(key)).contains("NO_SUCH_KEY");
  }

  @Test
  void changesExpiryWithoutTheValueAndKeepsItWithTheValue() throws Exception {
    put(KEY, "\"Ada\"");
    openAda();
    explorer.allowEdits();
    page.choose(".editor-life select", "3600000");
    explorer.save();
    page.untilText(".entries td.c-expiry", "in ");
    assertThat(stored(KEY)).contains("\"expireAt\":", "\"Ada\"");
    explorer.write("Ada Lovelace");
    page.press("Tab");
    explorer.save();
    page.until("document.querySelector('.entries td.c-value').textContent.includes('Lovelace')");
    assertThat(stored(KEY)).contains("\"expireAt\":", "Lovelace");
    page.choose(".editor-life select", "never");
    explorer.save();
    page.until("!document.querySelector('.entries td.c-expiry').textContent");
    assertThat(stored(KEY)).doesNotContain("expireAt").contains("Lovelace");
  }

  @Test
  void keepsUnsavedEdits() throws Exception {
    put(KEY, "\"Ada\"");
    put("[\"users\",\"alan\"]", "\"Alan\"");
    openAda();
    explorer.allowEdits();
    explorer.write("not saved");
    page.clickElement("document.querySelectorAll('.entries tbody tr')[1]");
    page.untilText(".ask", "not saved");
    page.click(".ask button[value=no]");
    page.until("!document.querySelector('.ask')");
    assertThat(explorer.value()).isEqualTo("not saved");
    page.clickElement("document.querySelectorAll('.entries tbody tr')[1]");
    page.click(".ask button[value=yes]");
    page.until("document.querySelector('.editor textarea').value === 'Alan'");
  }
}
