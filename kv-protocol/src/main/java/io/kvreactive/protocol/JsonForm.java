package io.kvreactive.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The JSON of the values of a type: how it is read, and how it is written. Immutable.
 *
 * @param readsNull true if null in the JSON is a value, also of an optional member
 */
public record JsonForm<T>(
    Function<JsonInput, ? extends T> reader,
    Function<? super T, ? extends JsonNode> writer,
    boolean readsNull) {
  public static final JsonForm<String> TEXT =
      of(in -> in.require(JsonNode::isTextual, "a string").asText(), TextNode::valueOf);

  public static final JsonForm<Boolean> FLAG =
      of(in -> in.require(JsonNode::isBoolean, "true or false").asBoolean(), BooleanNode::valueOf);

  public static final JsonForm<Long> WHOLE = whole(Long.MIN_VALUE, Long.MAX_VALUE);
  public static final JsonForm<Integer> INT = integer(Integer.MIN_VALUE, Integer.MAX_VALUE);

  public static final JsonForm<Double> DOUBLE = of(in -> in.json().asDouble(), DoubleNode::valueOf);

  /** Milliseconds since 1970. */
  public static final JsonForm<Instant> TIME =
      WHOLE.map(Instant::ofEpochMilli, Instant::toEpochMilli);

  /** Milliseconds. */
  public static final JsonForm<Duration> MILLIS = WHOLE.map(Duration::ofMillis, Duration::toMillis);

  public static final JsonForm<Versionstamp> VERSIONSTAMP =
      of(
          in -> {
            String text = TEXT.read(in);
            return in.parse(() -> Versionstamp.parse(text));
          },
          stamp -> TextNode.valueOf(stamp.toString()));

  /** Any JSON. */
  public static final JsonForm<JsonNode> JSON = of(JsonInput::json, json -> json);

  /** An object with any members. */
  public static final JsonForm<ObjectNode> OBJECT =
      of(
          in -> {
            if (in.json() instanceof ObjectNode object) {
              return object;
            }
            throw in.wrong("an object");
          },
          object -> object);

  /** A key of new entries. */
  public static final JsonForm<KvKey> KEY =
      reading(in -> in.parse(() -> KvJson.keyOf(in.json()))).readingNull();

  /** A key of stored entries, which may be malformed. */
  public static final JsonForm<KvKey> STORED_KEY =
      reading(in -> in.parse(() -> KvJson.storedKeyOf(in.json()))).readingNull();

  /** A value of an entry. */
  public static final JsonForm<KvValue> VALUE =
      reading(in -> in.parse(() -> KvJson.valueOf(in.json())));

  /** Returns a form. */
  public static <T> JsonForm<T> of(
      Function<JsonInput, ? extends T> reader, Function<? super T, ? extends JsonNode> writer) {
    return new JsonForm<>(reader, writer, false);
  }

  /** Returns a form that is only read. */
  public static <T> JsonForm<T> reading(Function<JsonInput, ? extends T> reader) {
    return of(reader, JsonForm::unused);
  }

  /** Returns a form that is only written. */
  public static <T> JsonForm<T> writing(Function<? super T, ? extends JsonNode> writer) {
    return of(JsonForm::unused, writer);
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // never returns
  private static <T> T unused(Object argument) {
    throw new IllegalStateException("a form for the other direction");
  }

  /**
   * Returns the form of an object by the description of its members.
   *
   * @param description names all members, whatever their values are, and returns the creation of
   *     the object. It is also called to learn the names. All values are null then, so that only
   *     the creation may use them
   */
  public static <T> JsonForm<T> object(Function<Members<T>, Supplier<T>> description) {
    List<String> names = new ArrayList<>();
    var unused = description.apply(new Members<>(null, null, null, names));
    List<String> known = List.copyOf(names);
    return of(
        in -> description.apply(members(in, known)).get(), value -> written(value, description));
  }

  /**
   * Returns the form of an object by the description of its members, some of which depend on the
   * values of others.
   *
   * @param names the names of all members that an object may have
   */
  static <T> JsonForm<T> object(
      Function<JsonInput, List<String>> names, Function<Members<T>, T> description) {
    return of(
        in -> description.apply(members(in, in.isStrict() ? names.apply(in) : List.of())),
        value -> written(value, description));
  }

  /** Returns the form of an object that has one member. */
  public static <V> JsonForm<V> member(String name, JsonForm<V> form) {
    return object(
        m -> {
          V only = m.get(name, form, value -> value);
          return () -> only;
        });
  }

  private static <T> Members<T> members(JsonInput in, List<String> known) {
    return new Members<>(in.isStrict() ? in.object(known) : in, null, null, List.of());
  }

  private static <T> ObjectNode written(T value, Function<Members<T>, ?> description) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    var unused = description.apply(new Members<>(null, value, json, List.of()));
    return json;
  }

  /** Returns the form of an array. */
  public static <V> JsonForm<List<V>> list(JsonForm<V> form) {
    return list(form, (index, failure) -> failure);
  }

  /**
   * Returns the form of an array.
   *
   * @param located makes the exception of an element from its index and its own exception
   */
  static <V> JsonForm<List<V>> list(
      JsonForm<V> form, BiFunction<Integer, RuntimeException, RuntimeException> located) {
    return of(
        in -> {
          int size = in.require(JsonNode::isArray, "an array").size();
          List<V> values = new ArrayList<>(size);
          while (values.size() < size) {
            try {
              values.add(form.read(in.element(values.size())));
            } catch (RuntimeException e) {
              throw located.apply(values.size(), e);
            }
          }
          return values;
        },
        values -> {
          ArrayNode array = JsonNodeFactory.instance.arrayNode();
          for (V value : values) {
            try {
              array.add(form.write(value));
            } catch (RuntimeException e) {
              throw located.apply(array.size(), e);
            }
          }
          return array;
        });
  }

  /** Returns the form of a whole number from {@code least} to {@code most}. */
  public static JsonForm<Long> whole(long least, long most) {
    return of(
        in ->
            in.require(
                    json ->
                        json.isIntegralNumber()
                            && json.canConvertToLong()
                            && json.longValue() >= least
                            && json.longValue() <= most,
                    "a whole number, %d..%d".formatted(least, most))
                .asLong(),
        LongNode::valueOf);
  }

  /** Returns the form of a whole number from {@code least} to {@code most}. */
  public static JsonForm<Integer> integer(int least, int most) {
    return whole(least, most).map(Long::intValue, Integer::longValue);
  }

  /**
   * Returns the form of a constant: its name in lower case.
   *
   * @param quote the quotes of an unknown name in a message
   */
  public static <E extends Enum<E>> JsonForm<E> constant(Class<E> type, String quote) {
    List<String> names =
        Stream.of(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toList();
    int last = names.size() - 1;
    String expected = String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    return of(
        in -> {
          String text = TEXT.read(in);
          if (!names.contains(text)) {
            String member = in.place().substring(in.place().lastIndexOf('.') + 1);
            String found = quote + JsonInput.excerpt(text) + quote;
            throw in.fault("%s: %s (expected: %s)".formatted(member, found, expected));
          }
          return type.getEnumConstants()[names.indexOf(text)];
        },
        constant -> TextNode.valueOf(constant.name().toLowerCase(Locale.ROOT)));
  }

  /** Returns the form of other values that have the same JSON. */
  public <U> JsonForm<U> map(Function<T, U> to, Function<U, T> from) {
    return of(in -> to.apply(read(in)), value -> write(from.apply(value)));
  }

  /** Returns this form for members that may be null in the JSON, which it reads too. */
  public JsonForm<T> readingNull() {
    return new JsonForm<>(reader, writer, true);
  }

  /** Reads a value. */
  public T read(JsonInput input) {
    return reader.apply(input);
  }

  /** Reads a value of an answer. */
  public T read(JsonNode json) {
    return read(JsonInput.lenient(json));
  }

  /** Returns the JSON of a value. */
  public JsonNode write(T value) {
    return writer.apply(value);
  }

  /** Returns the JSON of a value, an object. */
  public ObjectNode writeObject(T value) {
    return (ObjectNode) write(value);
  }
}
