package io.kvreactive.documents.internal.value;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Describes an error in a JSON text and its position. */
final class JsonFault {
  private static final int EXCERPT = 20;

  private JsonFault() {}

  static DocumentException of(IOException fault, String text) {
    JsonLocation location = location(fault);
    long offset = location == null ? -1 : location.getCharOffset();
    int from = (int) Math.max(0, Math.min(offset, text.length()));
    return of(fault, location, text.substring(from));
  }

  private static DocumentException of(
      IOException fault, @Nullable JsonLocation location, String rest) {
    if (fault instanceof StreamConstraintsException) {
      // the depth has its own check, and texts and names are not limited
      return new DocumentException(
          DocumentErrorCode.ITEM_TOO_LARGE,
          "a number is too long"
              + (location == null ? "" : " at " + place(location))
              + " (expected: at most "
              + Json.MAX_NUMBER_LENGTH
              + " characters)",
          fault);
    }
    if (location == null) {
      return Json.invalid("not valid JSON", fault);
    }
    String what =
        fault instanceof JsonEOFException || rest.isEmpty()
            ? "the text ends too early"
            : "not expected near " + excerpt(rest, 0);
    return Json.invalid("not valid JSON at " + place(location) + ": " + what, fault);
  }

  private static @Nullable JsonLocation location(IOException fault) {
    return fault instanceof JacksonException json ? json.getLocation() : null;
  }

  static String place(JsonLocation location) {
    return "line " + location.getLineNr() + ", column " + location.getColumnNr();
  }

  static String excerpt(String text, int from) {
    int to = Math.min(text.length(), from + EXCERPT);
    String part = Json.writeText(Values.text(text.substring(from, to)));
    return to < text.length() ? part + "…" : part;
  }
}
