package io.kvreactive.documents.internal.functions;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Loads the classes of this project and of the libraries that functions use a second time, with a
 * call of {@link WorkCounter} at each method, at each jump and in place of each scan of a text.
 */
public final class CountingClassLoader extends ClassLoader {
  private static final String COUNTER = WorkCounter.class.getName().replace('.', '/');

  public CountingClassLoader() {
    super(CountingClassLoader.class.getClassLoader());
  }

  private static boolean isCounted(String name) {
    return !name.equals(WorkCounter.class.getName())
        && (name.startsWith("io.kvreactive.")
            || name.startsWith("com.fasterxml.jackson.")
            || name.startsWith("com.google.")
            || name.startsWith("net.sf.geographiclib.")
            || name.startsWith("org.locationtech."));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null
          ? loaded
          : isCounted(name) ? counted(name) : super.loadClass(name, resolve);
    }
  }

  private Class<?> counted(String name) throws ClassNotFoundException {
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      ClassReader reader = new ClassReader(in.readAllBytes());
      ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
      reader.accept(new Instrumentation(writer), 0);
      byte[] bytes = writer.toByteArray();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Instrumentation extends ClassVisitor {
    Instrumentation(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      return next == null ? null : new Counting(next);
    }
  }

  private static final class Counting extends MethodVisitor {
    Counting(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    private void tick() {
      super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, "tick", "()V", false);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      tick();
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
      tick();
      super.visitJumpInsn(opcode, label);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (owner.equals("java/lang/String") && isScan(name, descriptor)) {
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC,
            COUNTER,
            name,
            "(Ljava/lang/String;" + descriptor.substring(1),
            false);
        return;
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    private static boolean isScan(String name, String descriptor) {
      String types =
          descriptor.replace("Ljava/lang/String;", "s").replace("Ljava/lang/Object;", "o");
      return Arrays.asList(
              "indexOf(s)I",
              "indexOf(sI)I",
              "indexOf(I)I",
              "indexOf(II)I",
              "lastIndexOf(s)I",
              "startsWith(s)Z",
              "startsWith(sI)Z",
              "endsWith(s)Z",
              "compareTo(s)I",
              "equals(o)Z")
          .contains(name + types);
    }
  }
}
