package io.kvreactive.internal.store.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names of an image's files. A directory may contain several images while one is built to
 * replace another; the finished one with the highest number is the store's.
 *
 * @param directory the directory of the files
 * @param number 0 for the first image of a new store
 */
public record ImageFiles(Path directory, int number) {
  private static final Pattern NAME = Pattern.compile("image(?:-([1-9][0-9]{0,8}))?\\.(?:db|sums)");

  /** Returns the file of the pages. */
  Path image() {
    return path("db");
  }

  /** Returns the file of the pages of the checkpoint in progress. */
  Path journal() {
    return path("journal");
  }

  /** Returns the file of the checksums of the pages. */
  Path sums() {
    return path("sums");
  }

  private Path path(String suffix) {
    return directory.resolve((number == 0 ? "image." : "image-" + number + ".") + suffix);
  }

  /** Returns the files of the image that will replace this one. */
  public ImageFiles next() {
    return new ImageFiles(directory, number + 1);
  }

  /** Returns all images of a directory, finished or not, the newest first. */
  static List<ImageFiles> in(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> NAME.matcher(Objects.toString(file.getFileName())))
          .filter(Matcher::matches)
          .map(name -> name.group(1) == null ? 0 : Integer.parseInt(name.group(1)))
          .distinct()
          .sorted(Comparator.reverseOrder())
          .map(number -> new ImageFiles(directory, number))
          .toList();
    }
  }

  /**
   * Returns the store's image. If none is finished, returns the oldest one; for a new store the
   * first.
   */
  public static ImageFiles current(Path directory) throws IOException {
    List<ImageFiles> all = in(directory);
    for (ImageFiles files : all) {
      if (files.isWhole()) {
        return files;
      }
    }
    return all.isEmpty() ? new ImageFiles(directory, 0) : all.get(all.size() - 1);
  }

  /** Returns true if an image of that name exists, finished or not. */
  public boolean exists() {
    return Files.exists(image());
  }

  /** Returns true if the image was finished. */
  boolean isWhole() throws IOException {
    if (!Files.exists(sums()) || !exists()) {
      return false;
    }
    try (FileChannel file = FileChannel.open(sums(), StandardOpenOption.READ)) {
      ByteBuffer magic = ByteBuffer.allocate(Long.BYTES);
      int read = file.read(magic, 0);
      return read == Long.BYTES && magic.getLong(0) == PageChecksums.WHOLE;
    }
  }

  /** Returns the bytes of the files. */
  public long size() throws IOException {
    long size = 0;
    for (Path file : List.of(image(), journal(), sums())) {
      size += Files.exists(file) ? Files.size(file) : 0;
    }
    return size;
  }
}
