package io.kvreactive.server.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.http.client.ServerProblem;
import io.kvreactive.server.ExitCode;
import io.kvreactive.web.WebErrorCode;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.zip.ZipException;

/**
 * Maps failures of stores and servers to exit codes. A failure is a usage error if other arguments
 * or other input would avoid it.
 */
final class ExitCodeMapper {
  private ExitCodeMapper() {}

  /**
   * Returns the exit code for a stable code of the store or the server. Unknown codes, of later
   * versions, are failures.
   */
  static int of(String code) {
    KvErrorCode ofStore = ServerProblem.code(KvErrorCode.values(), code);
    WebErrorCode ofServer = ServerProblem.code(WebErrorCode.values(), code);
    DocumentErrorCode ofIndex = ServerProblem.code(DocumentErrorCode.values(), code);
    return ofStore != null
        ? of(ofStore)
        : ofServer != null ? of(ofServer) : ofIndex != null ? of(ofIndex) : ExitCode.FAILED;
  }

  private static int of(DocumentErrorCode code) {
    return switch (code) {
      case COLLECTION_NOT_FOUND,
          COLLECTION_EXISTS,
          ITEM_NOT_FOUND,
          ITEM_EXISTS,
          ETAG_MISMATCH,
          CONDITION_NOT_MET ->
          ExitCode.NO;
      case INVALID_QUERY,
          ORDER_NOT_INDEXED,
          SCAN_NOT_ENABLED,
          INVALID_POLICY,
          INVALID_PATH,
          NOT_CHANGEABLE,
          INVALID_ITEM,
          ITEM_TOO_LARGE,
          INVALID_CONTINUATION,
          QUERY_BUDGET_EXCEEDED,
          LIMIT_EXCEEDED,
          INVALID_PATCH,
          INVALID_ARGUMENT ->
          ExitCode.USAGE;
    };
  }

  private static int of(KvErrorCode code) {
    return switch (code) {
      case INVALID_KEY,
          INVALID_RANGE,
          INVALID_CURSOR,
          INVALID_VERSIONSTAMP,
          INVALID_VALUE,
          INVALID_ARGUMENT,
          LIMIT_EXCEEDED,
          TYPE_MISMATCH,
          OUT_OF_RANGE,
          UNSUPPORTED,
          NO_SUCH_STORE,
          NAME_TAKEN ->
          ExitCode.USAGE;
      case UNAVAILABLE -> ExitCode.UNREACHABLE;
      case UNAUTHENTICATED, FORBIDDEN -> ExitCode.REFUSED;
      case UNREADABLE_VALUE,
          CONFLICT,
          OVERLOADED,
          LEASE_LOST,
          CLOSED,
          SNAPSHOT_TOO_OLD,
          COMPACTED,
          LOCKED, // the server's own directory; CliException handles a local --path
          DISK_FULL,
          CORRUPT,
          IO_FAILED,
          INTERNAL ->
          ExitCode.FAILED;
    };
  }

  private static int of(WebErrorCode code) {
    return switch (code) {
      case NO_SUCH_KEY, CHECK_FAILED -> ExitCode.NO;
      case BAD_REQUEST, NOT_FOUND, NO_SUCH_DATABASE, PAYLOAD_TOO_LARGE -> ExitCode.USAGE;
      case STARTING, GOING_AWAY -> ExitCode.UNREACHABLE;
      case UNAUTHENTICATED, FORBIDDEN -> ExitCode.REFUSED;
      // caused by a server of another version, or a rate limit
      case METHOD_NOT_ALLOWED, NOT_ACCEPTABLE, UNSUPPORTED_MEDIA_TYPE, RATE_LIMITED ->
          ExitCode.FAILED;
    };
  }

  /**
   * Returns the exit code for a failure to access a file: USAGE for a wrong file, FAILED for a
   * failing disk.
   */
  static int of(IOException failure) {
    boolean wrong =
        failure instanceof NoSuchFileException
            || failure instanceof AccessDeniedException
            || failure instanceof NotDirectoryException
            || failure instanceof FileAlreadyExistsException
            || failure instanceof DirectoryNotEmptyException
            || failure instanceof ZipException
            || String.valueOf(failure.getMessage()).contains("Is a directory");
    return wrong ? ExitCode.USAGE : ExitCode.FAILED;
  }
}
