package io.kvreactive.server;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * The build that the running program is from, by the manifest of its jar.
 *
 * @param version the version; {@code (not from a jar)} if classes are run
 * @param revision the git revision; empty if the build did not know it
 */
public record BuildInfo(String version, String revision) {
  private static final BuildInfo OF_CLASSES = new BuildInfo("(not from a jar)", "");

  public static BuildInfo ofThisProgram() {
    @Nullable CodeSource source = BuildInfo.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return OF_CLASSES;
    }
    try {
      Path jar = Path.of(source.getLocation().toURI());
      return Files.isRegularFile(jar) ? of(jar) : OF_CLASSES;
    } catch (IOException | URISyntaxException e) {
      return OF_CLASSES;
    }
  }

  private static BuildInfo of(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      Attributes attributes = manifest == null ? new Attributes() : manifest.getMainAttributes();
      return new BuildInfo(
          or(attributes.getValue("Implementation-Version"), "unknown"),
          or(attributes.getValue("Git-Revision"), ""));
    }
  }

  private static String or(@Nullable String value, String otherwise) {
    return value == null ? otherwise : value;
  }
}
