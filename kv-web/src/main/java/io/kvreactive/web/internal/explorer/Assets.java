package io.kvreactive.web.internal.explorer;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** The files of the explorer page. They are few and small, so all of them are held in memory. */
final class Assets {
  static final String PAGE = "index.html";
  private static final String FOLDER = "/io/kvreactive/web/explorer/";
  private static final int HASH_DIGITS = 32;

  /** The names of all files. Other resources of the class path cannot be requested. */
  private static final List<String> NAMES =
      List.of(
          PAGE,
          "icon.svg",
          "app.css",
          "app.js",
          "api.js",
          "assist.js",
          "code.js",
          "collections.css",
          "collections.js",
          "data.js",
          "definition.js",
          "diff.js",
          "dom.js",
          "editor.js",
          "fold.js",
          "follow.js",
          "item.js",
          "items.js",
          "json.js",
          "jump.js",
          "keys.js",
          "life.js",
          "live.js",
          "map.js",
          "move.js",
          "plan.js",
          "query.js",
          "queues.js",
          "rows.js",
          "stats.js",
          "stream.js",
          "suggest.js",
          "table.js",
          "transfer.js",
          "tree.js",
          "values.js",
          "vectors.js",
          "write.js");

  /**
   * A file.
   *
   * @param type the media type
   * @param hash the hash of the content, for the etag
   * @param bytes the content
   * @param gzipped the content, compressed
   */
  record Asset(String type, String hash, Buffer bytes, Buffer gzipped) {}

  private final Map<String, Asset> byName;

  private Assets(Map<String, Asset> byName) {
    this.byName = Map.copyOf(byName);
  }

  /** Reads the files from the class path. Must not be called on an event loop. */
  static Assets load() {
    Map<String, Asset> assets = new HashMap<>();
    for (String name : NAMES) {
      assets.put(name, read(name));
    }
    return new Assets(assets);
  }

  /** Returns the file with a name; null if it does not exist. */
  @Nullable Asset get(String name) {
    return byName.get(name);
  }

  private static Asset read(String name) {
    try (InputStream file = Assets.class.getResourceAsStream(FOLDER + name)) {
      if (file == null) {
        throw new IllegalStateException("resource not found: " + FOLDER + name);
      }
      byte[] bytes = file.readAllBytes();
      return new Asset(type(name), hash(bytes), Buffer.buffer(bytes), gzip(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String type(String name) {
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> throw new IllegalStateException("unknown media type of " + name);
    };
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static Buffer gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream gzipped = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(gzipped)) {
      gzip.write(bytes);
    }
    return Buffer.buffer(gzipped.toByteArray());
  }
}
