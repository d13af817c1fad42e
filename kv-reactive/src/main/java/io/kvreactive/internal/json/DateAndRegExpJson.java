package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsRegExp;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;

/** JSON of dates and regular expressions. */
final class DateAndRegExpJson {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The letters of flags in the order in which JavaScript prints them. */
  private static final String FLAG_LETTERS = "dgilmsuvy";

  private static final int[] FLAG_BITS = {
    JsRegExp.HAS_INDICES,
    JsRegExp.GLOBAL,
    JsRegExp.IGNORE_CASE,
    JsRegExp.LINEAR,
    JsRegExp.MULTILINE,
    JsRegExp.DOT_ALL,
    JsRegExp.UNICODE,
    JsRegExp.UNICODE_SETS,
    JsRegExp.STICKY
  };

  private DateAndRegExpJson() {}

  static JsonNode toJson(JsDate date) {
    return JsonTag.DATE.with(
        date.isValid() ? JSON.textNode(date.instant().toString()) : JSON.nullNode());
  }

  static JsDate date(JsonNode payload, JsonPosition at) {
    if (payload.isNull()) {
      return new JsDate(Double.NaN);
    }
    try {
      Instant instant = Instant.parse(payload.textValue() == null ? "" : payload.textValue());
      JsDate date = JsDate.of(instant);
      if (date.instant().equals(instant)) {
        return date;
      }
    } catch (DateTimeException e) {
      throw at.invalid(payload, "an ISO 8601 instant, or null; " + e.getMessage());
    }
    throw at.invalid(payload, "whole milliseconds, at most 8.64e15 of them from 1970");
  }

  static JsonNode toJson(JsRegExp pattern) {
    StringBuilder flags = new StringBuilder();
    for (int i = 0; i < FLAG_BITS.length; i++) {
      if ((pattern.flags() & FLAG_BITS[i]) != 0) {
        flags.append(FLAG_LETTERS.charAt(i));
      }
    }
    ObjectNode record = JSON.objectNode();
    record.set("source", StringJson.toJson(pattern.source()));
    record.put("flags", flags.toString());
    return JsonTag.REG_EXP.with(record);
  }

  static JsRegExp regExp(JsonNode payload, JsonPosition at) {
    TagPayloads.requireRecord(payload, at, List.of("source", "flags"));
    at.enter("flags");
    JsonNode letters = payload.path("flags");
    int flags = 0;
    for (char letter : letters.isTextual() ? letters.textValue().toCharArray() : new char[] {'?'}) {
      int index = FLAG_LETTERS.indexOf(letter);
      if (index < 0 || (flags & FLAG_BITS[index]) != 0) {
        throw at.invalid(letters, "a string of letters of \"" + FLAG_LETTERS + "\", each once");
      }
      flags |= FLAG_BITS[index];
    }
    at.leave();
    at.enter("source");
    String source = StringJson.read(payload.path("source"), at);
    at.leave();
    return new JsRegExp(source, flags);
  }
}
