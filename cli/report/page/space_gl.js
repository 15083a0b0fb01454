// Particles by WebGL: soft points that add up, in the colors of the density. report.gl(canvas, ...) is null where there
// is no WebGL.
report.gl = (node, particles, {side, wraps, away, reach, longest}) => {
  const gl = node.getContext('webgl', {alpha: false, antialias: false, preserveDrawingBuffer: true});
  if (!gl) return null;
  const VERTEX = `
    attribute float px, py, pz, density;
    uniform vec3 side, wraps, target;
    uniform mat3 rotation;
    uniform vec2 view;
    uniform float away, size, scale, tint, exposure;
    uniform sampler2D reaches;
    varying vec4 shade;
    void main() {
      vec3 p = (vec3(px, py, pz) - 0.5) * side - target;
      p -= wraps * side * floor(p / side + 0.5);
      vec3 q = p * rotation;
      float behind = away + q.z, near = away / max(behind, 0.05);
      gl_Position = vec4(q.xy * near * view, 0.0, 1.0);
      float fade = behind < 0.1 ? 0.0 : exp(-pow(q.z * size * 0.6, 2.0));
      vec4 known = texture2D(reaches, vec2((density * 255.0 + 0.5) / 256.0, 0.5));
      float wide = exp2(known.a * 24.0 - 20.0) * scale * near;
      float pixels = clamp(wide * 1.5, 2.2, 40.0);
      gl_PointSize = pixels;
      float light = exposure * (0.12 + 0.6 * density) * fade / (1.0 + 0.012 * pixels * pixels);
      shade = tint > 0.5 ? vec4(0.36, 0.94, 0.78, 1.0) * fade * 0.35 / (1.0 + 0.012 * pixels * pixels) : vec4(known.rgb + 0.04, 1.0) * light;
    }`;
  const FRAGMENT = `
    precision mediump float;
    varying vec4 shade;
    void main() {
      vec2 d = gl_PointCoord * 2.0 - 1.0;
      float r2 = dot(d, d);
      if (r2 > 1.0) discard;
      gl_FragColor = shade * (1.0 - r2) * (1.0 - r2) * 1.6;
    }`;
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) || !gl.getParameter(gl.MAX_VERTEX_TEXTURE_IMAGE_UNITS)) return null;
  gl.useProgram(program);

  const attribute = (name, values, type) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    const place = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 1, type, true, 0, 0);
  };
  ['px', 'py', 'pz'].forEach((name, axis) =>
    attribute(name, particles.words.slice(axis * particles.count, (axis + 1) * particles.count), gl.UNSIGNED_SHORT));
  attribute('density', particles.density, gl.UNSIGNED_BYTE);

  // The color of each density, and the logarithm of the distance to its neighbors in sides of the box.
  const table = new Uint8Array(1024);
  for (let i = 0; i < 256; ++i) {
    table.set(particles.colors.subarray(3 * Math.min(255, 40 + i), 3 * Math.min(255, 40 + i) + 3), 4 * i);
    table[4 * i + 3] = Math.round(255 * Math.min(Math.max((Math.log2(reach[i] / longest) + 20) / 24, 0), 1));
  }
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
  for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
                               [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  const uniform = name => gl.getUniformLocation(program, name);
  gl.uniform3fv(uniform('side'), side);
  gl.uniform3fv(uniform('wraps'), wraps.map(Number));
  gl.uniform1f(uniform('away'), away);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE);
  gl.clearColor(0.027, 0.031, 0.047, 1);

  return {
    draw({width, height, rotation, scale, target, size, chosen}) {
      const sharp = window.devicePixelRatio || 1, [w, h] = [Math.round(width * sharp), Math.round(height * sharp)];
      if (node.width !== w || node.height !== h) [node.width, node.height] = [w, h];
      gl.viewport(0, 0, w, h);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniformMatrix3fv(uniform('rotation'), false, rotation);
      gl.uniform2f(uniform('view'), 2 * scale / width, 2 * scale / height);
      gl.uniform1f(uniform('scale'), scale * sharp);
      gl.uniform1f(uniform('size'), size);
      // Fewer particles lie over each other the closer one looks.
      gl.uniform1f(uniform('exposure'), Math.min(1.1, 0.13 * size ** 1.1 * Math.sqrt(330000 / particles.count)));
      gl.uniform3fv(uniform('target'), target);
      gl.uniform1f(uniform('tint'), 0);
      gl.drawArrays(gl.POINTS, 0, particles.count);
      if (chosen === null || chosen >= particles.first.length - 1) return;
      gl.uniform1f(uniform('tint'), 1);
      gl.drawArrays(gl.POINTS, particles.first[chosen], particles.first[chosen + 1] - particles.first[chosen]);
    },
  };
};
