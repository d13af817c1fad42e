package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.PostgresOptions.Host;
import io.kvreactive.postgres.PostgresOptions.Tls;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parser of connection URLs, after {@code libpq}: {@code
 * postgresql://user:password@host:port,host/database?name=value}.
 */
public final class PostgresUrl {
  private static final Pattern URL =
      Pattern.compile(
          "postgres(?:ql)?://(?:([^:@/?]*)(?::([^@/?]*))?@)?([^/?@]+)(?:/([^?/]*))?(?:\\?(.*))?");
  private static final Pattern HOST =
      Pattern.compile("(\\[[^\\]]+\\]|[^:\\[\\]]+)(?::(\\d{1,5}))?");
  private static final String EXPECTED =
      "postgresql://user:password@host:port,host/database?schema=name";

  private PostgresUrl() {}

  /**
   * Parses a URL. Messages never contain the password.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public static PostgresOptions parse(String url) {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw invalid("URL of an unknown form", EXPECTED);
    }
    String user = or(decoded(parts.group(1)), "postgres");
    PostgresOptions options =
        PostgresOptions.at(hosts(parts.group(3)), user, or(decoded(parts.group(4)), user), "kv")
            .withPassword(decoded(parts.group(2)));
    String query = parts.group(5);
    return query == null || query.isEmpty() ? options : with(options, query);
  }

  private static PostgresOptions with(PostgresOptions options, String query) {
    PostgresOptions with = options;
    for (String parameter : query.split("&", -1)) {
      int equals = parameter.indexOf('=');
      String name = equals < 0 ? parameter : parameter.substring(0, equals);
      String value = or(decoded(equals < 0 ? "" : parameter.substring(equals + 1)), "");
      with =
          switch (name) {
            case "schema" -> with.withSchema(value);
            case "sslmode" -> with.withTls(tls(value), with.rootCertificate());
            case "sslrootcert" -> with.withTls(with.tls(), Path.of(value));
            default ->
                throw invalid("parameter \"" + name + "\"", "schema, sslmode or sslrootcert");
          };
    }
    return with;
  }

  private static Tls tls(String mode) {
    for (Tls tls : Tls.values()) {
      if (tls.parameter().equals(mode)) {
        return tls;
      }
    }
    throw invalid("sslmode: \"" + mode + "\"", "disable, prefer, require or verify-full");
  }

  private static List<Host> hosts(String text) {
    List<Host> hosts = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      Matcher host = HOST.matcher(each);
      if (!host.matches()) {
        throw invalid("host: \"" + each + "\"", "host:port");
      }
      String name = host.group(1).replaceAll("[\\[\\]]", "");
      String port = host.group(2);
      hosts.add(
          new Host(name, port == null ? PostgresOptions.DEFAULT_PORT : Integer.parseInt(port)));
    }
    return hosts;
  }

  private static @Nullable String decoded(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw invalid("malformed percent-encoding", EXPECTED);
    }
  }

  private static String or(@Nullable String text, String otherwise) {
    return text == null || text.isEmpty() ? otherwise : text;
  }

  private static KvException invalid(String what, String expected) {
    return new KvException(KvErrorCode.INVALID_ARGUMENT, what + " (expected: " + expected + ")");
  }
}
