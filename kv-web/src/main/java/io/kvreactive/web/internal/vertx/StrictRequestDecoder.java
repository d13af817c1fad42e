package io.kvreactive.web.internal.vertx;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/**
 * A decoder of HTTP/1 requests that rejects folded header lines (obs-fold, RFC 9112 5.2). Netty
 * joins such lines, but a proxy in front of the server may not.
 */
public final class StrictRequestDecoder extends VertxHttpRequestDecoder {
  private boolean inHead = true;
  private boolean afterFirstLine;
  private boolean refused;

  /** Creates the decoder of a connection, with the limits of the options. */
  public StrictRequestDecoder(HttpServerOptions options) {
    super(options);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out)
      throws Exception {
    if (refused) {
      bytes.skipBytes(bytes.readableBytes());
      return;
    }
    if (inHead && hasFold(bytes)) {
      refused = true;
      bytes.skipBytes(bytes.readableBytes());
      HttpMessage message = createInvalidMessage();
      message.setDecoderResult(
          DecoderResult.failure(new IllegalArgumentException("folded header line")));
      out.add(message);
      return;
    }
    int before = out.size();
    super.decode(context, bytes, out);
    for (int i = before; i < out.size(); i++) {
      if (out.get(i) instanceof HttpMessage) {
        inHead = false;
        afterFirstLine = false;
      }
      if (out.get(i) instanceof LastHttpContent) {
        inHead = true;
      }
    }
  }

  @Override
  protected HttpMessage createMessage(String[] firstLine) {
    afterFirstLine = true;
    return super.createMessage(firstLine);
  }

  /**
   * Returns true if a line of the request head begins with a blank. Incomplete lines are checked
   * later.
   */
  private boolean hasFold(ByteBuf bytes) {
    int end = bytes.writerIndex();
    int line = bytes.readerIndex();
    if (!afterFirstLine) {
      while (line < end && bytes.getByte(line) >= 0 && bytes.getByte(line) <= ' ') {
        line++; // Netty skips leading blanks and control characters
      }
    } else if (line < end && isBlank(bytes.getByte(line))) {
      return true;
    }
    while (line < end) {
      int lineFeed = bytes.indexOf(line, end, (byte) '\n');
      boolean empty =
          lineFeed == line || (lineFeed == line + 1 && bytes.getByte(line) == (byte) '\r');
      if (lineFeed < 0 || empty) {
        return false; // incomplete line, or the end of the head
      }
      line = lineFeed + 1;
      if (line < end && isBlank(bytes.getByte(line))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isBlank(byte octet) {
    return octet == ' ' || octet == '\t';
  }
}
