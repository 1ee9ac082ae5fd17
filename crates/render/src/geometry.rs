//! A frame as surfaces in the world: triangles, solids of revolution and planes, with their appearance.
//!
//! | module | what it adds |
//! |---|---|
//! | [`tube`](mod@crate::tube) | rods |
//! | here | bodies, robots, clamps, contacts |

use crate::color::{self, Color};
use crate::quantity::Quantity;
use crate::stage::{ClampedPart, Frame, Solid, Stage};
use crate::style::Style;
use crate::tube;
use glam::{DVec3, Vec3};
use ropewalk_linalg::Pose;

/// Appearance and owner of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// Reflectance for linear light.
    pub(crate) albedo: Vec3,
    /// Reflectance of its mark: the stripe of a rod, the line on a wheel.
    pub(crate) mark: Vec3,
    /// Opacity.
    pub(crate) alpha: f32,
    /// Specular reflectance.
    pub(crate) gloss: f32,
    /// Number in masks.
    pub(crate) instance: u32,
    /// Whether it is two-sided.
    pub(crate) two_sided: bool,
}

impl Surface {
    pub(crate) fn new(color: Color, instance: u32) -> Self {
        let albedo = color.linear();
        Self { albedo, mark: albedo, alpha: color.alpha, gloss: 0.25, instance, two_sided: false }
    }
}

/// A triangle of vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(crate) corners: [u32; 3],
    pub(crate) surface: u32,
}

/// A ball, a cylinder or a capsule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// Ends of the axis in m; one point for a ball.
    pub(crate) ends: [DVec3; 2],
    /// Radius in m.
    pub(crate) radius: f64,
    /// Whether the ends are flat.
    pub(crate) flat: bool,
    /// Perpendicular to the axis: direction of a line on the surface that shows its rotation; zero for none.
    pub(crate) mark: DVec3,
    pub(crate) surface: u32,
}

/// A plane, seen from the side of its z axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub(crate) pose: Pose,
    pub(crate) surface: u32,
}

/// All surfaces of a frame. Reused from frame to frame, so that nothing is allocated once it has grown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Geometry {
    pub(crate) points: Vec<DVec3>,
    pub(crate) normals: Vec<Vec3>,
    /// Above [`STRIPE`] a vertex has the color of the mark.
    pub(crate) stripes: Vec<f32>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) planes: Vec<Plane>,
    pub(crate) surfaces: Vec<Surface>,
}

/// Cosine of the angle from the director m1 at which the stripe along a rod begins.
pub(crate) const STRIPE: f32 = 0.6;

impl Geometry {
    /// Everything in `frame`. `pixel` gives the length of a pixel at a point in m, the least thickness of rods, which
    /// also determines their level of detail.
    pub(crate) fn fill(&mut self, stage: &Stage, frame: &Frame, style: &Style, pixel: &dyn Fn(DVec3) -> f64) {
        self.points.clear();
        self.normals.clear();
        self.stripes.clear();
        self.triangles.clear();
        self.rounds.clear();
        self.planes.clear();
        self.surfaces.clear();
        let quantity = style.color_by.map(|kind| Quantity::of(kind, stage, frame, style.range));
        for (r, (look, rod)) in stage.rods.iter().zip(&frame.rods).enumerate() {
            tube::add(self, look, rod, (r, quantity.as_ref()), style, pixel);
        }
        let mut instance = stage.rods.len() as u32;
        for (tree, poses) in stage.trees.iter().zip(&frame.trees) {
            for (link, pose) in tree.links.iter().zip(poses) {
                instance += 1;
                for shape in &link.shapes {
                    let surface = self.add_surface(Surface::new(shape.color, instance));
                    self.add_solid(&shape.solid, &(*pose * shape.pose), surface);
                }
            }
            if tree.links.iter().all(|link| link.shapes.is_empty()) {
                let first = instance + 1 - tree.links.len() as u32;
                self.add_skeleton(tree.links.iter().map(|l| l.parent), poses, first, pixel);
            }
        }
        if let Some(height) = style.floor {
            let surface = self.add_surface(Surface::new(color::GROUND, 0));
            self.planes.push(Plane { pose: Pose::at(DVec3::Z * height), surface });
        }
        if style.marks {
            self.add_clamps(stage, frame, pixel);
        }
        if style.contacts {
            self.add_contacts(frame, pixel);
        }
    }

    /// Adds a surface; its index.
    pub(crate) fn add_surface(&mut self, surface: Surface) -> u32 {
        self.surfaces.push(surface);
        (self.surfaces.len() - 1) as u32
    }

    /// Adds a vertex; its index.
    #[inline]
    pub(crate) fn add_vertex(&mut self, point: DVec3, normal: Vec3, stripe: f32) -> u32 {
        self.points.push(point);
        self.normals.push(normal);
        self.stripes.push(stripe);
        (self.points.len() - 1) as u32
    }

    /// Adds the triangles of a quadrilateral, counter-clockwise seen from outside.
    pub(crate) fn add_quad(&mut self, [a, b, c, d]: [u32; 4], surface: u32) {
        self.triangles.push(Triangle { corners: [a, b, c], surface });
        self.triangles.push(Triangle { corners: [a, c, d], surface });
    }

    fn add_solid(&mut self, solid: &Solid, pose: &Pose, surface: u32) {
        let axis = |length: f64| [-0.5, 0.5].map(|s| pose.point(DVec3::Z * s * length));
        match solid {
            Solid::Sphere { radius } => {
                let (ends, mark) = ([pose.position; 2], DVec3::ZERO);
                self.rounds.push(Round { ends, radius: *radius, flat: false, mark, surface });
            }
            Solid::Capsule { radius, length } => {
                let (ends, mark) = (axis(*length), DVec3::ZERO);
                self.rounds.push(Round { ends, radius: *radius, flat: false, mark, surface });
            }
            Solid::Cylinder { radius, length } => {
                let (ends, mark) = (axis(*length), pose.vector(DVec3::X));
                self.surfaces[surface as usize].mark = 0.35 * self.surfaces[surface as usize].albedo;
                self.rounds.push(Round { ends, radius: *radius, flat: true, mark, surface });
            }
            Solid::Box { size } => self.add_box(0.5 * *size, pose, surface),
            Solid::HalfSpace => self.planes.push(Plane { pose: *pose, surface }),
            Solid::Mesh(mesh) => {
                self.surfaces[surface as usize].two_sided = true;
                let first = self.points.len() as u32;
                let rotation = pose.rotation.as_quat();
                self.points.extend(mesh.points.iter().map(|p| pose.point(*p)));
                self.normals.extend(mesh.normals.iter().map(|n| rotation * *n));
                self.stripes.resize(self.points.len(), 0.0);
                let placed =
                    mesh.triangles.iter().map(|t| Triangle { corners: t.map(|v| v + first), surface });
                self.triangles.extend(placed);
            }
        }
    }

    fn add_box(&mut self, half: DVec3, pose: &Pose, surface: u32) {
        for axis in 0..3 {
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            for sign in [-1.0, 1.0] {
                let mut normal = DVec3::ZERO;
                normal[axis] = sign;
                let turned = pose.vector(normal).as_vec3();
                // Counter-clockwise about the normal: the second axis runs with its sign.
                let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(a, b)| {
                    let mut p = DVec3::ZERO;
                    p[axis] = sign * half[axis];
                    p[j] = a * sign * half[j];
                    p[k] = b * half[k];
                    self.add_vertex(pose.point(p), turned, 0.0)
                });
                self.add_quad(corners, surface);
            }
        }
    }

    /// A robot without shapes: lines from link to link.
    fn add_skeleton(
        &mut self,
        parents: impl Iterator<Item = Option<usize>>,
        poses: &[Pose],
        first_instance: u32,
        pixel: &dyn Fn(DVec3) -> f64,
    ) {
        let total: f64 = poses.windows(2).map(|p| (p[1].position - p[0].position).length()).sum();
        for (link, parent) in parents.enumerate() {
            let Some(parent) = parent else { continue };
            let ends = [poses[parent].position, poses[link].position];
            let surface =
                self.add_surface(Surface::new(color::robot(0, link, 0), first_instance + link as u32));
            let radius = (0.01 * total).max(1.5 * pixel(ends[0]));
            self.rounds.push(Round { ends, radius, flat: false, mark: DVec3::ZERO, surface });
        }
    }

    /// Clamps of rods: a sleeve about an edge, a ball about a node.
    fn add_clamps(&mut self, stage: &Stage, frame: &Frame, pixel: &dyn Fn(DVec3) -> f64) {
        let holding = stage.clamps.iter().filter(|clamp| frame.time < clamp.release_time);
        for clamp in holding {
            let (look, nodes) = (&stage.rods[clamp.rod], &frame.rods[clamp.rod].nodes);
            let (edge, ends) = match clamp.hold {
                ClampedPart::Node(n) => (n.min(look.edge_count() - 1), [nodes[n]; 2]),
                ClampedPart::Edge(e) => (e, [nodes[e], nodes[look.edge_end(e)]]),
            };
            let [a, b] = look.half_extents[edge];
            let radius = (1.7 * a.max(b)).max(2.0 * pixel(ends[0]));
            // The sleeve is at least as long as it is wide.
            let middle = 0.5 * (ends[0] + ends[1]);
            let half = 0.5 * (ends[1] - ends[0]);
            let half = half * (radius / half.length().max(f64::MIN_POSITIVE)).max(1.0);
            let flat = matches!(clamp.hold, ClampedPart::Edge(_));
            let ends = if flat { [middle - half, middle + half] } else { ends };
            let mut surface = Surface::new(color::CLAMP, clamp.rod as u32 + 1);
            surface.gloss = 0.5;
            let surface = self.add_surface(surface);
            self.rounds.push(Round { ends, radius, flat, mark: DVec3::ZERO, surface });
        }
    }

    /// Contacts as points with their forces, the longest a tenth of the scene.
    fn add_contacts(&mut self, frame: &Frame, pixel: &dyn Fn(DVec3) -> f64) {
        let greatest = frame.contacts.iter().map(|c| c.force.length()).fold(0.0, f64::max);
        let surface = self.add_surface(Surface::new(color::CONTACT, 0));
        for contact in &frame.contacts {
            let unit = pixel(contact.point);
            let mark = DVec3::ZERO;
            let ball = Round { ends: [contact.point; 2], radius: 2.5 * unit, flat: false, mark, surface };
            self.rounds.push(ball);
            if greatest > 0.0 {
                let tip = contact.point + contact.force * (60.0 * unit / greatest);
                self.rounds.push(Round { ends: [contact.point, tip], radius: unit, ..ball });
            }
        }
    }
}
