package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.DocumentBlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The public members of the classes that the TypeScript client exports, from its sources. A line of
 * a class that is not understood is a failure: members are indented by two spaces.
 */
final class TypeScriptMembers {
  private static final Path SOURCES = DocumentBlocks.ROOT.resolve("clients/typescript/src");

  private static final Pattern EXPORT =
      Pattern.compile("export \\{ ([^}]+) } from \"\\./(\\w+)\\.js\";");

  /** A comment, the end of a member or of its parameters, a constructor or a private member. */
  private static final Pattern OTHER =
      Pattern.compile("(?:/\\*\\*|//|}|\\)|constructor\\(|(?:readonly |async )?\\*?#).*");

  private static final Pattern MEMBER =
      Pattern.compile("(?:(?:static|override|readonly|async) )*\\*?(\\w+)(?:([<(])|\\??:| =).*");

  private TypeScriptMembers() {}

  /**
   * Returns the members by their names, such as Collection.put: true for methods, false for
   * properties.
   */
  static Map<String, Boolean> methods() throws IOException {
    Map<String, Boolean> members = new TreeMap<>();
    String index = Files.readString(SOURCES.resolve("index.ts"));
    for (MatchResult export : EXPORT.matcher(index).results().toList()) {
      String source = Files.readString(SOURCES.resolve(export.group(2) + ".ts"));
      for (String name : export.group(1).split(", ")) {
        if (!name.startsWith("type ")) {
          add(name, source, members);
        }
      }
    }
    return members;
  }

  private static void add(String name, String source, Map<String, Boolean> members) {
    Matcher type =
        Pattern.compile(
                "^export class " + name + "\\b.*?$(.*?)^}", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(source);
    assertThat(type.find()).as("class " + name).isTrue();
    int before = members.size();
    for (String line : type.group(1).split("\n")) {
      if (!line.matches("  \\S.*") || OTHER.matcher(line.substring(2)).matches()) {
        continue;
      }
      Matcher member = MEMBER.matcher(line.substring(2));
      assertThat(member.matches()).as("a member of " + name + ": " + line).isTrue();
      members.put(name + "." + member.group(1), member.group(2) != null);
    }
    assertThat(members).as("members of " + name).hasSizeGreaterThan(before);
  }
}
