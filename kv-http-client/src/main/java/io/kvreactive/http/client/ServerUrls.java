package io.kvreactive.http.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/** Validates addresses and tokens. */
public final class ServerUrls {
  private static final int MAX_TOKEN_CHARS = 8 << 10;

  private ServerUrls() {}

  /**
   * Parses the address of a database.
   *
   * @param example the examples for the message of an error
   * @throws KvException INVALID_ARGUMENT
   */
  public static URI parse(String url, String example) {
    URI uri;
    try {
      uri = new URI(url.strip());
    } catch (URISyntaxException e) {
      throw invalid(url, example);
    }
    if (!isHttp(uri) || uri.getFragment() != null || uri.getUserInfo() != null) {
      throw invalid(url, example);
    }
    return uri;
  }

  /**
   * Parses the address of a database that has no query, and removes slashes at its end.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public static URI database(String url, String example) {
    URI uri = parse(url, example);
    if (uri.getRawQuery() != null) {
      throw invalid(url, example);
    }
    return URI.create(uri.toString().replaceFirst("/+$", ""));
  }

  private static KvException invalid(String url, String example) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        "url: \"%s\" (expected: such as %s)"
            .formatted(url.length() > 200 ? url.substring(0, 200) + "…" : url, example));
  }

  /**
   * Validates an access token.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public static String token(String token) {
    if (!isToken(token)) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "token of %d characters (expected: 1 to %d visible ASCII characters)"
              .formatted(token.length(), MAX_TOKEN_CHARS));
    }
    return token;
  }

  public static boolean isToken(String token) {
    return !token.isEmpty()
        && token.length() <= MAX_TOKEN_CHARS
        && token.chars().allMatch(c -> c > ' ' && c < 0x7F);
  }

  public static boolean isHttp(URI uri) {
    String scheme = uri.getScheme();
    return scheme != null
        && (scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))
        && uri.getHost() != null
        && uri.getPort() <= 0xFFFF
        && uri.getPort() != 0;
  }

  public static boolean isTls(URI uri) {
    return "https".equalsIgnoreCase(uri.getScheme());
  }

  public static int port(URI uri) {
    return uri.getPort() > 0 ? uri.getPort() : isTls(uri) ? 443 : 80;
  }

  /** Returns the scheme, host and port of an address, for messages. */
  public static String origin(URI uri) {
    return uri.getScheme() + "://" + uri.getRawAuthority();
  }

  /** Returns a text as a part of a path or the value of a parameter. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Returns true if two addresses may share a secret because they have the same origin. */
  public static boolean sameOrigin(URI a, URI b) {
    return isTls(a) == isTls(b)
        && port(a) == port(b)
        && Objects.equals(lower(a.getHost()), lower(b.getHost()));
  }

  private static String lower(String host) {
    return host.toLowerCase(Locale.ROOT);
  }

  /**
   * Resolves a reference as {@link URI#resolve} does, including against an address without a path.
   */
  public static URI resolve(URI base, URI reference) {
    URI rooted = base.getRawPath().isEmpty() ? base.resolve("/") : base;
    return rooted.resolve(reference).normalize();
  }

  /** Returns the address without a trailing slash, to which method names are appended. */
  public static URI withoutSlash(URI uri) {
    String text = uri.toString();
    return text.endsWith("/") ? URI.create(text.substring(0, text.length() - 1)) : uri;
  }
}
