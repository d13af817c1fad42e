package io.kvreactive.web.explorer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** A page of a browser, driven by mouse and keyboard like a user. Waits for conditions. */
final class Page {
  private static final long POLL_NANOS = 15_000_000;
  private static final Map<String, Integer> CODES =
      Map.of(
          "Enter",
          13,
          "Escape",
          27,
          "ArrowLeft",
          37,
          "ArrowUp",
          38,
          "ArrowRight",
          39,
          "ArrowDown",
          40,
          "PageUp",
          33,
          "PageDown",
          34,
          "Tab",
          9);
  private static final int CONTROL = 2;
  private static final int SHIFT = 8;

  /**
   * Lets one leave a page without a question, and records its short messages, which may disappear
   * before a slow machine reads them.
   */
  private static final String PREPARE =
      """
      addEventListener('beforeunload', event => event.stopImmediatePropagation());
      globalThis.toasts = [];
      new MutationObserver(changes => {
        for (const { target, addedNodes } of changes) {
          if (target.id === 'toasts') toasts.push(...[...addedNodes].map(one => one.textContent));
        }
      }).observe(document, { childList: true, subtree: true });
      """;

  /** Tries a condition until it is true: then true, else false or the last exception. */
  private static final String TRY =
      """
      new Promise(resolve => {
        const end = performance.now() + 1000;
        const attempt = () => {
          let answer;
          try {
            answer = Boolean(%s);
          } catch (e) {
            answer = String(e);
          }
          if (answer === true || performance.now() > end) resolve(answer);
          else setTimeout(attempt, 20);
        };
        attempt();
      })
      """;

  private final Devtools devtools;
  private final String session;
  private final List<String> problems = new CopyOnWriteArrayList<>();
  private boolean left;

  Page(Devtools devtools, String session) {
    this.devtools = devtools;
    this.session = session;
    devtools.listen(session, this::heard);
    for (String domain : List.of("Page", "Runtime", "Log")) {
      send(domain + ".enable");
    }
    send("Page.addScriptToEvaluateOnNewDocument", "source", PREPARE);
  }

  /** Forgets the problems, and has the usual size and colours. */
  void reset() {
    left = false;
    problems.clear();
    size(1280, 800);
    prefers("");
  }

  /** Leaves what is shown, and forgets what it has stored. */
  void leave() {
    eval("if (origin !== 'null') { localStorage.clear(); sessionStorage.clear(); }");
    send("Page.navigate", "url", "about:blank");
    left = true;
  }

  /** Says whether it is empty: a page that hangs cannot be left. */
  boolean isLeft() {
    return left;
  }

  private JsonNode send(String method, Object... params) {
    return devtools.send(session, method, params);
  }

  private void heard(JsonNode event) {
    String method = event.path("method").asText();
    JsonNode params = event.path("params");
    switch (method) {
      case "Runtime.exceptionThrown" ->
          problems.add(params.at("/exceptionDetails/exception/description").asText());
      case "Runtime.consoleAPICalled" -> {
        if (params.path("type").asText().equals("error")) {
          problems.add(params.path("args").toString());
        }
      }
      case "Log.entryAdded" -> {
        JsonNode entry = params.path("entry");
        if (!entry.path("source").asText().equals("network") // answers like 404 are expected
            && entry.path("level").asText().matches("error|warning")) {
          problems.add(entry.path("text").asText());
        }
      }
      default -> {}
    }
  }

  /** Exceptions, console errors and violations of the security policy. */
  List<String> problems() {
    return problems;
  }

  void open(String url) {
    send("Page.navigate", "url", url);
    until("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  void size(int width, int height) {
    send(
        "Emulation.setDeviceMetricsOverride",
        "width",
        width,
        "height",
        height,
        "deviceScaleFactor",
        1,
        "mobile",
        false);
  }

  void prefers(String colours) {
    send(
        "Emulation.setEmulatedMedia",
        "features",
        List.of(Map.of("name", "prefers-color-scheme", "value", colours)));
  }

  /** Returns the value of an expression, or of its promise. */
  JsonNode eval(String script) {
    JsonNode answer =
        send("Runtime.evaluate", "expression", script, "returnByValue", true, "awaitPromise", true);
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(
          script + ": " + answer.at("/exceptionDetails/exception/description").asText());
    }
    return answer.path("result").path("value");
  }

  /**
   * Waits until an expression is true. The page itself tries it, at most for a second at a time:
   * when the page changes, its answer is lost.
   */
  void until(String condition) {
    String tries = TRY.formatted(condition);
    long end = System.nanoTime() + Devtools.TIMEOUT.toNanos();
    Throwable last = null;
    while (System.nanoTime() < end) {
      try {
        JsonNode answer = eval(tries);
        if (answer.isBoolean() && answer.asBoolean()) {
          return;
        }
        last = answer.isTextual() ? new AssertionError(answer.asText()) : null;
      } catch (Devtools.DevtoolsException | AssertionError e) {
        last = e; // the page may be changing
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    throw new AssertionError("never true: " + condition + "; the page says:\n" + bodyText(), last);
  }

  private String bodyText() {
    return eval("document.body.innerText.slice(0, 3000)").asText() + "\n" + problems;
  }

  static String quoted(String text) {
    return TextNode.valueOf(text).toString();
  }

  private static String find(String selector) {
    return "document.querySelector(" + quoted(selector) + ")";
  }

  String text(String selector) {
    return eval(find(selector) + "?.textContent ?? ''").asText();
  }

  void untilVisible(String selector) {
    until(find(selector) + "?.checkVisibility()");
  }

  void untilText(String selector, String part) {
    until("(%s?.textContent ?? '').includes(%s)".formatted(find(selector), quoted(part)));
  }

  /** Waits for a short message, and discards it and earlier ones. */
  void untilToast(String part) {
    until(
        """
        (() => {
          const at = toasts.findIndex(text => text.includes(%s));
          return at >= 0 && toasts.splice(0, at + 1).length;
        })()\
        """
            .formatted(quoted(part)));
  }

  boolean visible(String selector) {
    return eval("Boolean(" + find(selector) + "?.checkVisibility())").asBoolean();
  }

  /** Clicks in the middle of an element, once no other element covers it. */
  void click(String selector) {
    clickElement(find(selector));
  }

  /** Clicks the element that an expression returns. */
  void clickElement(String element) {
    String ready =
        """
        (() => {
          const element = %s;
          if (!element?.checkVisibility() || element.disabled) return false;
          element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
          const { x, y, width, height } = element.getBoundingClientRect();
          const at = [x + width / 2, y + height / 2];
          const top = document.elementFromPoint(...at);
          globalThis.clickAt = at;
          return element.contains(top) || top?.closest('label')?.contains(element);
        })()\
        """
            .formatted(element);
    until(ready);
    JsonNode at = eval("globalThis.clickAt");
    for (String type : List.of("mouseMoved", "mousePressed", "mouseReleased")) {
      send(
          "Input.dispatchMouseEvent",
          "type",
          type,
          "x",
          at.get(0).asDouble(),
          "y",
          at.get(1).asDouble(),
          "button",
          type.equals("mouseMoved") ? "none" : "left",
          "clickCount",
          1);
    }
  }

  /** Types into the focused element. */
  void type(String text) {
    send("Input.insertText", "text", text);
  }

  /** Replaces the text of a field. */
  void fill(String selector, String text) {
    until(find(selector) + "?.checkVisibility() && !" + find(selector) + ".readOnly");
    eval("(e => { e.focus(); e.select(); })(" + find(selector) + ")");
    if (text.isEmpty()) {
      press("Delete");
    } else {
      type(text);
    }
  }

  /** Chooses an option of a select with an event, like a user. */
  void choose(String selector, String value) {
    until("!%s.disabled".formatted(find(selector)));
    eval(
        "(e => { e.value = %s; e.dispatchEvent(new Event('change', { bubbles: true })); })(%s)"
            .formatted(quoted(value), find(selector)));
  }

  void press(String key) {
    press(key, 0);
  }

  void pressControl(String key) {
    press(key, CONTROL);
  }

  /** Presses a key by its position on the keyboard, such as BracketLeft, with Ctrl and Shift. */
  void pressControlShift(String code) {
    for (String type : List.of("rawKeyDown", "keyUp")) {
      send("Input.dispatchKeyEvent", "type", type, "code", code, "modifiers", CONTROL | SHIFT);
    }
  }

  private void press(String key, int modifiers) {
    boolean character = key.length() == 1;
    String text = character && modifiers == 0 ? key : key.equals("Enter") ? "\r" : "";
    int code = character ? Character.toUpperCase(key.charAt(0)) : CODES.getOrDefault(key, 46);
    for (String type : List.of(text.isEmpty() ? "rawKeyDown" : "keyDown", "keyUp")) {
      send(
          "Input.dispatchKeyEvent",
          "type",
          type,
          "key",
          key,
          "windowsVirtualKeyCode",
          code,
          "modifiers",
          modifiers,
          "text",
          type.equals("keyUp") ? "" : text);
    }
  }

  /** Puts a file of this machine into a file field. */
  void attach(String selector, Path file) {
    until(find(selector));
    String field =
        send("Runtime.evaluate", "expression", find(selector)).at("/result/objectId").asText();
    send("DOM.setFileInputFiles", "objectId", field, "files", List.of(file.toString()));
  }

  /** Waits until a download is complete. */
  static void untilThere(Path file) {
    long end = System.nanoTime() + Devtools.TIMEOUT.toNanos();
    while (file.toFile().length() == 0) { // the browser first creates an empty file
      if (System.nanoTime() > end) {
        throw new AssertionError(file + " was not downloaded");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  void screenshot(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    String image = send("Page.captureScreenshot", "format", "png").get("data").asText();
    Files.write(file, Base64.getDecoder().decode(image));
  }
}
