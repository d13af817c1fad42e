package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Mutation;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Parses mutations. */
final class MutationJson {
  private static final String TYPE = "type";
  private static final String KEY = "key";
  private static final String VALUE = "value";
  private static final String EXPIRE_IN = "expireIn";
  private static final String EXPIRE_AT = "expireAt";
  private static final String[] ALL = {
    TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT, "min", "max", "clamp", "prefix", "start", "end"
  };

  private MutationJson() {}

  /**
   * Parses a mutation.
   *
   * @param clock the clock of the store, in milliseconds since 1970
   * @param place the place of the mutation in the body, for error messages
   */
  static Mutation of(LongSupplier clock, JsonNode json, String place) {
    String type = JsonFields.of(json, place, ALL).text(TYPE);
    return switch (type) {
      case "set" -> {
        JsonFields fields = JsonFields.of(json, place, TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT);
        yield new Mutation.Set(
            fields.key(KEY).bytes(), fields.value(VALUE), expireAt(clock, fields));
      }
      case "setSuffixed" -> {
        JsonFields fields = JsonFields.of(json, place, TYPE, KEY, VALUE, EXPIRE_IN, EXPIRE_AT);
        yield new Mutation.SetVersionstamped(
            fields.key(KEY).bytes(), fields.value(VALUE), expireAt(clock, fields));
      }
      case "delete" ->
          new Mutation.Delete(JsonFields.of(json, place, TYPE, KEY).storedKey(KEY).bytes());
      case "deleteRange" -> {
        KvRange range =
            RangeParams.explicit(
                JsonFields.of(
                    json, place, TYPE, RangeParams.PREFIX, RangeParams.START, RangeParams.END));
        yield new Mutation.DeleteRange(range.startBytes(), range.endBytes());
      }
      case "sum" -> sum(JsonFields.of(json, place, TYPE, KEY, VALUE, "min", "max", "clamp"));
      case "min" -> {
        JsonFields fields = JsonFields.of(json, place, TYPE, KEY, VALUE);
        yield new Mutation.Min(fields.key(KEY).bytes(), fields.value(VALUE));
      }
      case "max" -> {
        JsonFields fields = JsonFields.of(json, place, TYPE, KEY, VALUE);
        yield new Mutation.Max(fields.key(KEY).bytes(), fields.value(VALUE));
      }
      case "touch" ->
          touch(clock, JsonFields.of(json, place, TYPE, KEY, EXPIRE_IN, EXPIRE_AT), place);
      default ->
          throw StrictJson.bad(
              ("%s.type: \"%s\" (expected: set, setSuffixed, delete, deleteRange, sum, min, max or"
                      + " touch)")
                  .formatted(place, StrictJson.excerpt(type)));
    };
  }

  private static Mutation sum(JsonFields fields) {
    return new Mutation.Sum(
        fields.key(KEY).bytes(),
        fields.value(VALUE),
        bound(fields, "min"),
        bound(fields, "max"),
        fields.flag("clamp"));
  }

  private static byte @Nullable [] bound(JsonFields fields, String name) {
    if (!fields.has(name) || fields.isNull(name)) {
      return null;
    }
    KvValue value = fields.value(name);
    if (value.encoding() != KvValue.Encoding.V8) {
      throw new KvException(
          KvErrorCode.TYPE_MISMATCH, name + " (expected: a number or {\"$bigint\":…})");
    }
    return value.bytes();
  }

  private static Mutation touch(LongSupplier clock, JsonFields fields, String place) {
    boolean never = fields.isNull(EXPIRE_AT);
    if (!fields.has(EXPIRE_AT) && !fields.has(EXPIRE_IN)) {
      throw StrictJson.bad(place + ": expireAt or expireIn is missing (null: never expires)");
    }
    return new Mutation.Touch(fields.key(KEY).bytes(), never ? 0 : expireAt(clock, fields));
  }

  private static long expireAt(LongSupplier clock, JsonFields fields) {
    return WriteRequests.expireAt(
        clock,
        fields.whole(EXPIRE_IN, -1, 0, Long.MAX_VALUE),
        fields.whole(EXPIRE_AT, -1, 0, Long.MAX_VALUE));
  }
}
