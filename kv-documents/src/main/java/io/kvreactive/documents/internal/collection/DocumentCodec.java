package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.spi.DocumentMapper;
import org.jspecify.annotations.Nullable;

/** The mapper of collections for clients of a server. */
public final class DocumentCodec implements DocumentMapper {
  @Override
  public Encoded encode(Object document) {
    Document checked = Document.of(document);
    return new Encoded(ItemIdentity.idOf(checked.tree()), checked.json());
  }

  @Override
  public JsonNode tree(@Nullable Object value, DocumentErrorCode otherwise) {
    JsonNode tree = DocumentType.tree(value, otherwise);
    Document.checkValue(tree); // JSON would have a text for an infinite number
    return tree;
  }

  @Override
  public String text(JsonNode json) {
    return Json.writeText(json);
  }

  @Override
  public JsonNode parse(byte[] json) {
    return Json.parseAnswer(json);
  }

  @Override
  public <T> T as(JsonNode json, Class<T> type) {
    return DocumentType.as(json, type);
  }
}
