/**
 * The swept rod, on the GPU. An instance is an edge of a rod; its vertices are rings about the edge. Positions and angles
 * of all nodes are in a float texture, so that a frame costs one upload and no geometry.
 *
 * Between two nodes the center line is the cubic (Catmull-Rom) curve through them, and the material director m1 turns
 * from that of one edge, at its middle, to that of the next by the shorter way.
 */

/** Nodes in a row of the texture: a power of two. */
export const TEXTURE_WIDTH = 1024;

/** Declarations of the vertex shader. */
export const ROD_VERTEX_HEAD = /* glsl */ `
uniform highp sampler2D nodeTexture;
uniform highp sampler2D valueTexture;
// Along the edge (0…1), and the share of the section and the offset along the axis on a cap.
attribute vec3 ring;
// On the unit section: place, and normal.
attribute vec4 rim;
// Nodes before the edge, at its ends, and after it; the first or last repeats where there is none.
attribute vec4 edgeNodes;
// Half extents (m), index of the rod, and −1 or 1 for a cap at the start or the end of the edge.
attribute vec4 edgeForm;
attribute vec3 edgeColor;
varying vec3 vRodColor;
varying vec2 vRim;
varying float vValue;
varying float vRodIndex;

vec4 rodNode(float index) {
  int i = int(index);
  return texelFetch(nodeTexture, ivec2(i & ${TEXTURE_WIDTH - 1}, i / ${TEXTURE_WIDTH}), 0);
}
float rodValue(float index) {
  int i = int(index);
  return texelFetch(valueTexture, ivec2(i & ${TEXTURE_WIDTH - 1}, i / ${TEXTURE_WIDTH}), 0).r;
}
// m1 of an edge with direction t.
vec3 rodDirector(vec3 t, float angle) {
  float s = floatBitsToInt(t.z) < 0 ? -1.0 : 1.0;
  float a = -1.0 / (s + t.z);
  float b = t.x * t.y * a;
  vec3 b1 = vec3(1.0 + s * t.x * t.x * a, s * b, -s * t.x);
  vec3 b2 = vec3(b, s + t.y * t.y * a, -t.y);
  return cos(angle) * b1 + sin(angle) * b2;
}
vec3 rodUnit(vec3 v, vec3 otherwise) {
  float square = dot(v, v);
  return square > 1e-24 ? v * inversesqrt(square) : otherwise;
}
void rodSurface(out vec3 place, out vec3 surfaceNormal) {
  vec4 n0 = rodNode(edgeNodes.x), n1 = rodNode(edgeNodes.y), n2 = rodNode(edgeNodes.z), n3 = rodNode(edgeNodes.w);
  float end = edgeForm.w;
  float u = end == 0.0 ? ring.x : (end < 0.0 ? 0.0 : 1.0);
  bool first = edgeNodes.x == edgeNodes.y, last = edgeNodes.w == edgeNodes.z;
  vec3 chord = n2.xyz - n1.xyz;
  vec3 d1 = first ? chord : 0.5 * (n2.xyz - n0.xyz);
  vec3 d2 = last ? chord : 0.5 * (n3.xyz - n1.xyz);
  // Hermite: p(u) = h00 p1 + h10 d1 + h01 p2 + h11 d2.
  float v = 1.0 - u;
  vec3 center = n1.xyz + (u * u * (3.0 - 2.0 * u)) * chord + (u * v * v) * d1 - (u * u * v) * d2;
  vec3 edgeDirection = rodUnit(chord, vec3(0.0, 0.0, 1.0));
  vec3 t = rodUnit(6.0 * u * v * chord + (v * (1.0 - 3.0 * u)) * d1 + (u * (3.0 * u - 2.0)) * d2, edgeDirection);
  vec3 m = rodDirector(edgeDirection, n1.w);
  bool before = u < 0.5;
  vec3 beside = before ? n1.xyz - n0.xyz : n3.xyz - n2.xyz;
  float turn = 0.0;
  if (before ? !first : !last) {
    vec3 other = rodDirector(rodUnit(beside, edgeDirection), before ? n0.w : n2.w);
    turn = atan(dot(cross(m, other), edgeDirection), dot(m, other)) * abs(u - 0.5);
  }
  m = rodUnit(m - dot(m, t) * t, m);
  vec3 m2 = cross(t, m);
  vec3 e1 = cos(turn) * m + sin(turn) * m2;
  vec3 e2 = cross(t, e1);
  float side = end < 0.0 ? -1.0 : 1.0;
  vec2 on = vec2(rim.x, side * rim.y), normalOn = vec2(rim.z, side * rim.w);
  float thin = min(edgeForm.x, edgeForm.y);
  place = center + ring.y * (edgeForm.x * on.x * e1 + edgeForm.y * on.y * e2) + (side * ring.z * thin) * t;
  vec2 across = ring.y * normalOn / edgeForm.xy;
  surfaceNormal = rodUnit(across.x * e1 + across.y * e2 + (side * ring.z / thin) * t, e1);
  vRodColor = edgeColor;
  vRim = vec2(on.x, on.y);
  vRodIndex = edgeForm.z;
  vValue = mix(rodValue(edgeNodes.y), rodValue(edgeNodes.z), u);
}
`;

/** Declarations of the fragment shader. */
export const ROD_FRAGMENT_HEAD = /* glsl */ `
uniform sampler2D colorMap;
uniform bool byValue;
uniform vec2 valueRange;
uniform float stripe;
uniform float selectedRod;
varying vec3 vRodColor;
varying vec2 vRim;
varying float vValue;
varying float vRodIndex;
`;

/** The color: that of the rod or of its value, with a stripe along m1. */
export const ROD_FRAGMENT_COLOR = /* glsl */ `
vec3 rodColor = vRodColor;
if (byValue) {
  float share = clamp((vValue - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30), 0.0, 1.0);
  rodColor = texture2D(colorMap, vec2(share * 0.99609375 + 0.001953125, 0.5)).rgb;
}
float offStripe = abs(atan(vRim.y, vRim.x));
float width = 0.34;
float soft = min(fwidth(offStripe), 1.0);
float onStripe = stripe * (1.0 - smoothstep(width - soft, width + soft, offStripe)) * step(length(vRim), 10.0);
float bright = dot(rodColor, vec3(0.2126, 0.7152, 0.0722));
vec3 stripeColor = bright > 0.42 ? rodColor * 0.3 : mix(rodColor, vec3(1.0), 0.72);
rodColor = mix(rodColor, stripeColor, onStripe * (byValue ? 0.5 : 0.85));
if (selectedRod >= 0.0 && abs(selectedRod - vRodIndex) < 0.5) rodColor = mix(rodColor, vec3(1.0), 0.18);
diffuseColor.rgb = rodColor;
`;
