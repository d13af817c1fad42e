package io.kvreactive.web.internal.connect;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.WorkerOffload;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.function.Consumer;

/** Parses request bodies as messages. Counts the fields before objects are created. */
final class MessageBodies {
  private final WorkerOffload offload;

  MessageBodies(WorkerOffload offload) {
    this.offload = offload;
  }

  /**
   * Parses the body of a request and passes the message to {@code then} on the request's event
   * loop. Large bodies are parsed on a worker thread. Errors fail the request: BAD_REQUEST,
   * LIMIT_EXCEEDED.
   *
   * @param type an instance of the message
   * @param maxElements the maximum number of elements of all lists of the message together
   */
  <T extends Message> void read(RoutingContext context, T type, int maxElements, Consumer<T> then) {
    byte[] bytes = BodyReader.bytes(context);
    offload.parse(context, () -> parse(bytes, type, maxElements), then);
  }

  private static <T extends Message> T parse(byte[] bytes, T type, int maxElements) {
    try {
      new FieldCounter(maxElements).count(bytes, type.getDescriptorForType());
      @SuppressWarnings("unchecked")
      T parsed = (T) DiscardUnknownFieldsParser.wrap(type.getParserForType()).parseFrom(bytes);
      return parsed;
    } catch (InvalidProtocolBufferException e) {
      throw malformed(type.getDescriptorForType(), e);
    } catch (IOException e) {
      throw malformed(type.getDescriptorForType(), e);
    }
  }

  private static WebException malformed(Descriptor type, IOException e) {
    return new WebException(
        WebErrorCode.BAD_REQUEST,
        "body: %s (expected: the protobuf message %s)"
            .formatted(e.getMessage(), type.getFullName()));
  }
}
