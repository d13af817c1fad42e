package io.kvreactive.web.internal.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * Configures the JSON of the server and of the command line. Duplicate properties and text after
 * the value are rejected. Doubles are written with the same digits on every JDK.
 */
public final class StrictMapper {
  /** The mapper for small texts, with the default limits of Jackson. */
  public static final JsonMapper DEFAULT = of(StreamReadConstraints.defaults());

  private StrictMapper() {}

  /** Returns a mapper with other limits. */
  public static JsonMapper of(StreamReadConstraints limits) {
    JsonFactory factory =
        new JsonFactoryBuilder()
            .streamReadConstraints(limits)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .build();
    return JsonMapper.builder(factory)
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }
}
