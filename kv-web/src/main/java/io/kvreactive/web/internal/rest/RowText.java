package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.kvreactive.json.Utf8;
import java.io.IOException;
import java.io.StringWriter;
import java.util.function.Function;

/**
 * A row of a query as JSON text, for use as the type of rows. The text is written on the thread
 * that creates rows, which is never an event loop, regardless of its size.
 *
 * @param json the text, with lone surrogates escaped
 */
@JsonDeserialize(using = RowText.Writer.class)
public record RowText(String json) {
  /** Copies the parsed row to text without creating a tree. */
  public static final class Writer extends Copier<RowText> {
    public Writer() {
      super(false, RowText::new);
    }
  }

  /**
   * A row of a query as JSON text in ASCII characters.
   *
   * @param json the text
   */
  @JsonDeserialize(using = AsciiWriter.class)
  public record Ascii(String json) {}

  /** Copies the parsed row to text in ASCII characters, without creating a tree. */
  public static final class AsciiWriter extends Copier<Ascii> {
    public AsciiWriter() {
      super(true, Ascii::new);
    }
  }

  private abstract static class Copier<R> extends JsonDeserializer<R> {
    private final boolean ascii;
    private final Function<String, R> rows;

    Copier(boolean ascii, Function<String, R> rows) {
      this.ascii = ascii;
      this.rows = rows;
    }

    @Override
    public R deserialize(JsonParser row, DeserializationContext context) throws IOException {
      StringWriter text = new StringWriter();
      try (JsonGenerator out = StrictJson.generator(text, ascii)) {
        out.copyCurrentStructure(row);
      }
      return rows.apply(ascii ? text.toString() : Utf8.escape(text.toString()));
    }

    @Override
    public R getNullValue(DeserializationContext context) {
      return rows.apply("null");
    }
  }
}
