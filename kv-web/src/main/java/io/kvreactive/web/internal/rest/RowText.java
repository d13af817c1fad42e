package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.kvreactive.json.Utf8;
import java.io.IOException;
import java.io.StringWriter;

/**
 * A row of a query as JSON text, for use as the type of rows. The text is written on the thread
 * that creates rows, which is never an event loop, regardless of its size.
 *
 * @param json the text, with lone surrogates escaped
 */
@JsonDeserialize(using = RowText.Writer.class)
public record RowText(String json) {
  /** Copies the parsed row to text without creating a tree. */
  public static final class Writer extends JsonDeserializer<RowText> {
    @Override
    public RowText deserialize(JsonParser row, DeserializationContext context) throws IOException {
      return new RowText(text(row, false));
    }

    @Override
    public RowText getNullValue(DeserializationContext context) {
      return new RowText("null");
    }
  }

  private static String text(JsonParser row, boolean ascii) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = StrictJson.generator(text, ascii)) {
      out.copyCurrentStructure(row);
    }
    return ascii ? text.toString() : Utf8.escape(text.toString());
  }

  /**
   * A row of a query as JSON text in ASCII characters.
   *
   * @param json the text
   */
  @JsonDeserialize(using = AsciiWriter.class)
  public record Ascii(String json) {}

  /** Copies the parsed row to text in ASCII characters, without creating a tree. */
  public static final class AsciiWriter extends JsonDeserializer<Ascii> {
    @Override
    public Ascii deserialize(JsonParser row, DeserializationContext context) throws IOException {
      return new Ascii(text(row, true));
    }

    @Override
    public Ascii getNullValue(DeserializationContext context) {
      return new Ascii("null");
    }
  }
}
