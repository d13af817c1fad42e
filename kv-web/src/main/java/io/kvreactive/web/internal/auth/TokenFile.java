package io.kvreactive.web.internal.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.Utf8;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of access tokens. A running server notices changes of the file. Several processes may
 * change the file: a lock file excludes concurrent changes. All methods block.
 */
public final class TokenFile {
  private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
  private static final JsonMapper JSON = JsonSyntax.mapper();
  private static final int VERSION = 1;
  private static final int MAX_TOKENS = 10_000;
  private static final long MAX_BYTES = 32L << 20;
  private static final Object TURN = new Object(); // a file lock excludes other processes only

  private final Path path;
  private final InstantSource clock;
  private volatile boolean warned;

  public TokenFile(Path path) {
    this(path, InstantSource.system());
  }

  /** Creates a file with another clock for the creation and rotation of tokens. */
  TokenFile(Path path, InstantSource clock) {
    this.path = path;
    this.clock = clock;
  }

  /**
   * A new or rotated token.
   *
   * @param secret the text that the bearer sends; it cannot be recovered
   * @param entry the token as stored
   */
  public record Minted(String secret, AccessToken entry) {
    @Override
    public String toString() { // keeps the secret out of logs
      return "Minted[" + entry.name() + "]";
    }
  }

  public Path path() {
    return path;
  }

  /**
   * Returns all tokens; none if the file does not exist.
   *
   * @throws IOException if the file cannot be read, or is not a token file
   */
  public List<AccessToken> read() throws IOException {
    if (Files.notExists(path)) {
      return List.of();
    }
    if (Files.size(path) > MAX_BYTES) {
      throw new IOException(path + " is larger than 32 MiB (expected: a token file)");
    }
    boolean open = PrivateFile.openToOthers(path);
    if (open && !warned) { // once while the mode is wrong, not with each read
      LOG.warn("{} is accessible to others than its owner (expected: mode 600)", path);
    }
    warned = open;
    try {
      return parse(JSON.readTree(Utf8.decodeDocument(Files.readAllBytes(path))));
    } catch (JsonProcessingException e) {
      e.clearLocation(); // the parser's message would quote the file
      throw new IOException(path + " is not JSON at " + JsonSyntax.describe(e));
    } catch (KvException | IllegalArgumentException e) {
      throw new IOException(path + " is not a token file: " + e.getMessage());
    }
  }

  private static List<AccessToken> parse(JsonNode json) {
    if (json.path("version").asInt() != VERSION || !json.path("tokens").isArray()) {
      throw TokenScope.invalid("expected {\"version\":" + VERSION + ",\"tokens\":[…]}");
    }
    List<AccessToken> entries = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode one : json.path("tokens")) {
      AccessToken entry = TokenJson.entry(one);
      if (!names.add(entry.name())) {
        throw TokenScope.invalid("two tokens have the name " + entry.name());
      }
      entries.add(entry);
    }
    return entries;
  }

  /**
   * Creates a token.
   *
   * @throws KvException INVALID_ARGUMENT for an invalid name, NAME_TAKEN, LIMIT_EXCEEDED for more
   *     than 10,000 tokens
   */
  public Minted create(String name, TokenScope scope) throws IOException {
    return change(
        entries -> {
          if (indexOf(entries, name) >= 0) {
            throw new KvException(KvErrorCode.NAME_TAKEN, "token " + name + " already exists");
          }
          if (entries.size() == MAX_TOKENS) {
            throw new KvException(
                KvErrorCode.LIMIT_EXCEEDED,
                "tokens: too many (expected: at most " + MAX_TOKENS + ")");
          }
          String secret = TokenSecrets.make();
          AccessToken entry = new AccessToken(name, hex(secret), scope, now(), null);
          entries.add(entry);
          return new Minted(secret, entry);
        });
  }

  /** Revokes a token. Returns false if it does not exist. */
  public boolean revoke(String name) throws IOException {
    return change(entries -> entries.removeIf(entry -> entry.name().equals(name)));
  }

  /**
   * Replaces the secret of a token.
   *
   * @param grace the time for which the old secret remains valid
   * @throws KvException INVALID_ARGUMENT if the token does not exist
   */
  public Minted rotate(String name, Duration grace) throws IOException {
    return change(
        entries -> {
          int index = indexOf(entries, name);
          if (index < 0) {
            throw TokenScope.invalid("token " + name + " not found");
          }
          String secret = TokenSecrets.make();
          AccessToken entry = entries.get(index).rotated(hex(secret), now().plus(grace));
          entries.set(index, entry);
          return new Minted(secret, entry);
        });
  }

  private interface Change<T> {
    T on(List<AccessToken> entries);
  }

  private <T> T change(Change<T> change) throws IOException {
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    synchronized (TURN) {
      try (FileChannel turn =
          FileChannel.open(
              path.resolveSibling(path.getFileName() + ".lock"),
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
              PrivateFile.ownerOnly())) {
        turn.lock(); // held until the channel is closed
        List<AccessToken> entries = new ArrayList<>(read());
        List<AccessToken> before = List.copyOf(entries);
        T result = change.on(entries);
        if (!entries.equals(before)) {
          PrivateFile.replace(path, print(entries));
        }
        return result;
      }
    }
  }

  private static byte[] print(List<AccessToken> entries) throws IOException {
    ObjectNode json = JSON.createObjectNode().put("version", VERSION);
    ArrayNode tokens = json.putArray("tokens");
    entries.forEach(entry -> tokens.add(TokenJson.kept(entry)));
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json);
  }

  private static int indexOf(List<AccessToken> entries, String name) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  private static String hex(String secret) {
    return TokenSecrets.hex(TokenSecrets.hash(secret));
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
