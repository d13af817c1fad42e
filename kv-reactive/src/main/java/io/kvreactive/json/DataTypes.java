package io.kvreactive.json;

import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ser.impl.UnknownSerializer;
import com.fasterxml.jackson.databind.ser.std.BeanSerializerBase;
import com.fasterxml.jackson.databind.ser.std.IterableSerializer;
import com.fasterxml.jackson.databind.ser.std.JsonValueSerializer;
import com.fasterxml.jackson.databind.ser.std.StdKeySerializers;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Tells data from objects that do something, such as threads, streams and locks. Jackson has a
 * serializer for each class: it calls all getters.
 */
final class DataTypes {
  /** Types whose instances are no data, whatever their getters return. */
  private static final List<Class<?>> ACTIVE =
      List.of(
          BaseStream.class,
          Class.class,
          ClassLoader.class,
          CompletionStage.class,
          Executor.class,
          Future.class,
          InputStream.class,
          Iterator.class,
          Lock.class,
          OutputStream.class,
          Publisher.class,
          ReadStream.class,
          Reader.class,
          Spliterator.class,
          Thread.class,
          Throwable.class,
          WriteStream.class,
          Writer.class,
          io.vertx.core.Future.class);

  /** Trees and messages of other libraries, which have a form of their own. */
  private static final Set<String> FOREIGN =
      Set.of(
          "com.google.gson.JsonElement",
          "com.google.protobuf.MessageLite",
          "jakarta.json.JsonValue",
          "org.json.JSONArray",
          "org.json.JSONObject",
          "tools.jackson.core.TreeNode");

  /** Packages of libraries, whose classes have getters but are no beans. */
  private static final List<String> LIBRARIES =
      List.of("io.netty.", "io.vertx.core.", "io.vertx.ext.", "reactor.");

  private DataTypes() {}

  /**
   * Returns true if objects of a class are data. A class that defines its own form with
   * {@code @JsonValue} is data.
   *
   * @param serializer the serializer that Jackson has chosen
   */
  static boolean isData(Class<?> type, JsonSerializer<?> serializer) {
    return serializer instanceof JsonValueSerializer
        || !isActive(type) && !(isGuessed(serializer) && isOpaque(type));
  }

  /** Returns true if the text of an object of a class is a name for the members of an object. */
  static boolean isKey(Class<?> type, JsonSerializer<?> serializer) {
    return !(serializer instanceof StdKeySerializers.Default)
        || type == byte[].class
        || type.isPrimitive()
        || !type.isRecord() && !isActive(type) && hasText(type);
  }

  private static boolean isActive(Class<?> type) {
    return ACTIVE.stream().anyMatch(active -> active.isAssignableFrom(type)) || isForeign(type);
  }

  private static boolean isForeign(@Nullable Class<?> type) {
    return type != null
        && (FOREIGN.contains(type.getName())
            || isForeign(type.getSuperclass())
            || Arrays.stream(type.getInterfaces()).anyMatch(DataTypes::isForeign));
  }

  /** Returns true for a serializer that calls whatever getters a class has. */
  private static boolean isGuessed(JsonSerializer<?> serializer) {
    return serializer instanceof BeanSerializerBase
        || serializer instanceof UnknownSerializer
        || serializer instanceof IterableSerializer;
  }

  /** Returns true for a lambda, and for a class of the JDK or of a library. */
  private static boolean isOpaque(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return type.isHidden()
        || type.isSynthetic()
        || loader == null
        || loader == ClassLoader.getPlatformClassLoader()
        || LIBRARIES.stream().anyMatch(type.getName()::startsWith);
  }

  private static boolean hasText(Class<?> type) {
    try {
      return type.getMethod("toString").getDeclaringClass() != Object.class;
    } catch (NoSuchMethodException e) {
      return false; // an interface
    }
  }
}
